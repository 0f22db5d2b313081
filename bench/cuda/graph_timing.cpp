// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
#include "graph_timing.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <type_traits>

#include "timing.hpp"

namespace spk::bench {
namespace {

struct EventDeleter {
  void operator()(cudaEvent_t event) const { cudaEventDestroy(event); }
};
struct GraphDeleter {
  void operator()(cudaGraphExec_t graph) const { cudaGraphExecDestroy(graph); }
};
using Event = std::unique_ptr<std::remove_pointer_t<cudaEvent_t>, EventDeleter>;
using Graph = std::unique_ptr<std::remove_pointer_t<cudaGraphExec_t>, GraphDeleter>;

constexpr int kLaunches = 20;
constexpr double kSampleMs = 4;  // slow contenders get fewer launches in a sample

Event make_event() {
  cudaEvent_t event = nullptr;
  check_cuda(cudaEventCreate(&event), "cudaEventCreate");
  return Event(event);
}

class Stopwatch {
 public:
  explicit Stopwatch(cudaStream_t stream) : stream_(stream), begin_(make_event()), end_(make_event()) {}
  // Milliseconds that the stream spends on what `work` queues.
  template <class Work>
  double time(Work work) {
    check_cuda(cudaEventRecord(begin_.get(), stream_), "cudaEventRecord");
    work();
    check_cuda(cudaEventRecord(end_.get(), stream_), "cudaEventRecord");
    check_cuda(cudaEventSynchronize(end_.get()), "cudaEventSynchronize");
    float ms = 0;
    check_cuda(cudaEventElapsedTime(&ms, begin_.get(), end_.get()), "cudaEventElapsedTime");
    return ms;
  }

 private:
  cudaStream_t stream_;
  Event begin_, end_;
};

// The launches of one sample as a graph; empty where the calls cannot be captured.
template <class Work>
Graph capture(cudaStream_t stream, Work work) {
  check_cuda(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), "cudaStreamBeginCapture");
  cudaGraph_t graph = nullptr;
  bool queued = true;
  try {
    work();
  } catch (const std::runtime_error&) {
    queued = false;
  }
  const bool ended = cudaStreamEndCapture(stream, &graph) == cudaSuccess;
  cudaGetLastError();  // a failed capture leaves its error behind
  cudaGraphExec_t exec = nullptr;
  if (queued && ended) check_cuda(cudaGraphInstantiate(&exec, graph, 0), "cudaGraphInstantiate");
  if (graph != nullptr) cudaGraphDestroy(graph);
  return Graph(exec);
}

struct Lane {
  const Contender* contender;
  int launches;
  Graph graph;
  std::vector<double> microseconds;
};

}  // namespace

void time_all(const Device& device, const std::vector<const Contender*>& entered, const std::vector<Result*>& results,
              std::size_t copies, int samples) {
  Stopwatch watch(device.stream);
  std::vector<Lane> lanes;
  for (const Contender* contender : entered) {
    const double one_ms = std::max(watch.time([&] { contender->launch(0); }), 1e-4);
    const int wanted = std::clamp(static_cast<int>(std::ceil(kSampleMs / one_ms)), 2, kLaunches);
    Lane lane{contender, std::max(wanted, static_cast<int>(copies > 1 ? copies : 1)), {}, {}};
    lane.graph = capture(device.stream, [&] {
      for (int i = 0; i < lane.launches; ++i) contender->launch(static_cast<std::size_t>(i) % copies);
    });
    lanes.push_back(std::move(lane));
  }
  for (int sample = 0; sample < samples; ++sample) {
    for (Lane& lane : lanes) {
      const auto run = [&] {
        if (lane.graph) {
          check_cuda(cudaGraphLaunch(lane.graph.get(), device.stream), "cudaGraphLaunch");
        } else {
          for (int i = 0; i < lane.launches; ++i) lane.contender->launch(static_cast<std::size_t>(i) % copies);
        }
      };
      run();
      lane.microseconds.push_back(1e3 * watch.time(run) / lane.launches);
    }
  }
  for (std::size_t i = 0; i < lanes.size(); ++i) {
    std::vector<double>& times = lanes[i].microseconds;
    const auto [least, most] = std::minmax_element(times.begin(), times.end());
    Result& result = *results[i];
    result.least = *least;
    result.most = *most;
    result.samples = samples;
    result.launches = lanes[i].launches;
    result.graph = lanes[i].graph != nullptr;
    const tool::Timing timing = tool::summarize(times);
    result.median = timing.median;
    result.q1 = timing.q1;
    result.q3 = timing.q3;
  }
}

DeviceRates measure_rates(const Device& device) {
  constexpr std::size_t kBytes = std::size_t{1} << 30;
  DeviceRates rates;
  Stopwatch watch(device.stream);
  const DeviceBytes from(kBytes), to(kBytes);
  const Graph graph = capture(device.stream, [&] {
    for (int i = 0; i < kLaunches; ++i) launch_nothing(device.stream);
  });
  std::vector<double> launches, copies;
  for (int i = 0; i < 9; ++i) {
    launches.push_back(1e3 / kLaunches *
                       watch.time([&] { check_cuda(cudaGraphLaunch(graph.get(), device.stream), "cudaGraphLaunch"); }));
    copies.push_back(1e-3 * watch.time([&] {
      check_cuda(cudaMemcpyAsync(to.data(), from.data(), kBytes, cudaMemcpyDeviceToDevice, device.stream),
                 "cudaMemcpyAsync");
    }));
  }
  rates.launch_us = tool::summarize(launches).median;
  rates.copy_bytes = 2.0 * static_cast<double>(kBytes) / tool::summarize(copies).median;
  return rates;
}

}  // namespace spk::bench
