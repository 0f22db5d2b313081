// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The spk authors
//
// bench_io KIND [ENTRIES [THREADS [REPEATS]]]: writes a file, reads it into CSR, prints megabytes of text per second and core
// (of processor time, all threads together) and the peak of memory against the CSR arrays, which a process of its own
// measures. KIND is short (values of 4 digits), full (17 digits), integer, pattern or smtx, with .gz behind it for a
// packed file. The file is in the page cache.
#include <spk/spk_io.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <vector>

namespace {

struct Times {
  double read;      // by the clock
  double read_cpu;  // of all threads
  double csr;
};

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

double cpu_seconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) * 1e-6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

void demand(spk_status_t status) {
  if (status == SPK_STATUS_SUCCESS) return;
  std::fprintf(stderr, "%s\n", spk_io_last_error());
  std::exit(1);
}

// A matrix with rows of about 32 entries in ascending columns; spk's own writer makes the file.
void write_file(const std::string& path, const std::string& kind, std::int64_t entries) {
  constexpr std::int64_t kRowLength = 32;
  constexpr std::int64_t kMostStep = 4000;
  std::mt19937_64 random(1);
  const std::int64_t rows = std::max<std::int64_t>(1, entries / kRowLength);
  const std::int64_t cols = kRowLength * kMostStep;
  std::vector<std::int32_t> offsets = {0};
  std::vector<std::int32_t> indices;
  std::vector<double> values;
  for (std::int64_t row = 0; row < rows; ++row) {
    std::int64_t col = -1;
    for (std::int64_t k = 0; k < kRowLength; ++k) {
      col += 1 + static_cast<std::int64_t>(random() % (kMostStep - 1));
      indices.push_back(static_cast<std::int32_t>(col));
      const auto digits = static_cast<double>(random() % 10000);
      const double full = static_cast<double>(random() >> 11) * 0x1p-53 - 0.5;
      values.push_back(kind == "short" ? digits / 1000 : kind == "full" ? full : digits);
    }
    offsets.push_back(static_cast<std::int32_t>(indices.size()));
  }
  const bool has_values = kind != "pattern" && kind != "smtx";
  demand(spk_io_write_csr(path.c_str(), rows, cols, offsets.back(), offsets.data(), indices.data(),
                          has_values ? values.data() : nullptr, SPK_INDEX_32I, SPK_INDEX_BASE_ZERO, SPK_R_64F));
}

// The job of a program that wants CSR: read, ask for the size, copy, free. `value_type` < 0: without values.
Times read_csr(const std::string& path, int threads, std::int32_t value_type, std::size_t* csr_bytes) {
  spk_io_options_t options{};
  options.struct_size = sizeof options;
  options.threads = threads;
  Times times{};
  auto start = std::chrono::steady_clock::now();
  const double cpu_before = cpu_seconds();
  spk_io_matrix_t matrix = nullptr;
  demand(spk_io_read(&matrix, path.c_str(), &options));
  times.read = seconds_since(start);
  times.read_cpu = cpu_seconds() - cpu_before;
  spk_io_info_t info{};
  info.struct_size = sizeof info;
  demand(spk_io_get_info(matrix, &info));
  const bool has_values = value_type >= 0;
  const spk_value_type_t type = has_values ? value_type : SPK_R_32F;
  const std::size_t value_bytes = !has_values ? 0 : type == SPK_R_64F ? sizeof(double) : sizeof(float);
  start = std::chrono::steady_clock::now();
  std::int64_t nnz = 0;
  demand(spk_io_get_csr(matrix, SPK_INDEX_32I, SPK_INDEX_BASE_ZERO, type, &nnz, nullptr, nullptr, nullptr));
  std::vector<std::int32_t> offsets(static_cast<std::size_t>(info.rows) + 1);
  std::vector<std::int32_t> indices(static_cast<std::size_t>(nnz));
  std::vector<char> values(static_cast<std::size_t>(nnz) * value_bytes);
  demand(spk_io_get_csr(matrix, SPK_INDEX_32I, SPK_INDEX_BASE_ZERO, type, &nnz, offsets.data(), indices.data(),
                        has_values ? values.data() : nullptr));
  times.csr = seconds_since(start);
  spk_io_matrix_destroy(matrix);
  *csr_bytes = (offsets.size() + indices.size()) * sizeof(std::int32_t) + values.size();
  return times;
}

// Peak memory of reading once in a fresh process, less what a process without the matrix has.
double peak_over_csr(const char* program, const std::string& path, int threads, std::int32_t value_type) {
  const pid_t child = fork();
  if (child == 0) {
    const std::string count = std::to_string(threads);
    const std::string type = std::to_string(value_type);
    execl(program, program, "--peak", path.c_str(), count.c_str(), type.c_str(), static_cast<char*>(nullptr));
    _exit(1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WEXITSTATUS(status) / 20.0;
}

// Largest resident size of this process so far, in bytes. Unlike ru_maxrss it does not go back before exec.
double peak_bytes() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("VmHWM:")) return std::strtod(line.c_str() + 6, nullptr) * 1024;
  }
  return 0;
}

// Runs in the fresh process; the answer is the exit status, in twentieths.
int measure_peak(const char* path, int threads, std::int32_t value_type) {
  const double before = peak_bytes();
  std::size_t csr_bytes = 0;
  read_csr(path, threads, value_type, &csr_bytes);
  return static_cast<int>((peak_bytes() - before) / static_cast<double>(csr_bytes) * 20 + 0.5);
}

void report(const char* program, const std::string& name, std::int64_t entries, int threads, int repeats) {
  const bool is_packed = name.ends_with(".gz");
  const std::string kind = name.substr(0, name.find('.'));
  const std::string path = (std::filesystem::temp_directory_path() / "bench_io").string() + std::to_string(getpid()) +
                           (kind == "smtx" ? ".smtx" : ".mtx");
  write_file(path, kind, entries);
  const double text_bytes = static_cast<double>(std::filesystem::file_size(path));
  std::filesystem::remove(path);
  const std::string file = path + (is_packed ? ".gz" : "");
  write_file(file, kind, entries);
  const bool has_values = kind != "pattern" && kind != "smtx";
  const std::int32_t value_type = has_values ? SPK_R_64F : -1;
  std::vector<double> reads;
  std::vector<double> cores;
  std::vector<double> copies;
  std::size_t csr_bytes = 0;
  for (int i = 0; i < repeats; ++i) {
    const Times times = read_csr(file, threads, value_type, &csr_bytes);
    reads.push_back(times.read);
    cores.push_back(times.read_cpu);
    copies.push_back(times.csr);
  }
  std::sort(reads.begin(), reads.end());
  std::sort(cores.begin(), cores.end());
  std::sort(copies.begin(), copies.end());
  const std::size_t middle = reads.size() / 2;
  const double megabytes = text_bytes / 1e6;
  std::printf(
      "%-10s %6.1f MB of text, %d threads: %6.1f MB/s per core (%.1f to %.1f), %6.1f MB/s by the clock, "
      "get_csr %6.1f ms, CSR %.1f MB",
      name.c_str(), megabytes, threads, megabytes / cores[middle], megabytes / cores.back(), megabytes / cores.front(),
      megabytes / reads[middle], copies[middle] * 1e3, static_cast<double>(csr_bytes) / 1e6);
  if (has_values) {
    std::printf(", peak / CSR %.2f (f64) %.2f (f32)\n", peak_over_csr(program, file, threads, SPK_R_64F),
                peak_over_csr(program, file, threads, SPK_R_32F));
  } else {
    std::printf(", peak / CSR %.2f\n", peak_over_csr(program, file, threads, value_type));
  }
  std::filesystem::remove(file);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 5 && std::string(argv[1]) == "--peak") {
    return measure_peak(argv[2], std::atoi(argv[3]), std::atoi(argv[4]));
  }
  if (argc < 2) {
    std::fprintf(stderr, "usage: bench_io short|full|integer|pattern|smtx[.gz] [ENTRIES [THREADS [REPEATS]]]\n");
    return 2;
  }
  const std::int64_t entries = argc > 2 ? std::atoll(argv[2]) : 4000000;
  const int threads = argc > 3 ? std::atoi(argv[3]) : 1;
  const int repeats = argc > 4 ? std::atoi(argv[4]) : 5;
  report(argv[0], argv[1], entries, threads, std::max(1, repeats));
  return 0;
}
