# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The spk authors
# SpMM and SDDMM from Julia 1.5 or newer: julia spmm_sddmm.jl PATH_OF_LIBSPK
#
# A SparseMatrixCSC holds Int64 column pointers and row numbers from 1. These arrays, read as CSR with index base 1, are
# the transpose, so nothing is copied or converted: spk gets transpose(A) as CSR and multiplies with its transpose.
using SparseArrays

length(ARGS) == 1 || error("usage: julia spmm_sddmm.jl PATH_OF_LIBSPK")
const libspk = ARGS[1]

const OP_N, OP_T = Int32(0), Int32(1)
const INDEX_64I, BASE_ONE, ORDER_COL, ALG_DEFAULT = Int32(3), Int32(1), Int32(1), Int32(0)
number_of(::Type{Float32}) = Int32(0)
number_of(::Type{Float64}) = Int32(1)

function require(status::Int32)
    status == 0 && return
    text = zeros(UInt8, 512)
    ccall((:spk_last_error, libspk), Int32, (Ptr{Cvoid}, Ptr{UInt8}, Csize_t, Ptr{Csize_t}), C_NULL, text, 512, C_NULL)
    error(GC.@preserve text unsafe_string(pointer(text)))
end

# spk_config_t
struct Config
    struct_size::UInt32
    backend::Int32
    num_threads::Int32
    device::Int32
    allocator::Ptr{Cvoid}
end

# On the CPU: Julia's arrays are memory of the host.
function handle()
    out = Ref{Ptr{Cvoid}}(C_NULL)
    config = Ref(Config(sizeof(Config), 1, 0, 0, C_NULL))
    require(ccall((:spk_create, libspk), Int32, (Ref{Ptr{Cvoid}}, Ref{Config}), out, config))
    out[]
end

# Descriptor of transpose(A). The arrays must stay alive as long as it is used: see GC.@preserve below.
function transposed_csr(A::SparseMatrixCSC{T,Int64}) where {T}
    out = Ref{Ptr{Cvoid}}(C_NULL)
    require(ccall((:spk_csr_create, libspk), Int32,
                  (Ref{Ptr{Cvoid}}, Int64, Int64, Int64, Ptr{Int64}, Ptr{Int64}, Ptr{T}, Int32, Int32, Int32, Int32),
                  out, size(A, 2), size(A, 1), nnz(A), A.colptr, A.rowval, A.nzval, INDEX_64I, INDEX_64I, BASE_ONE,
                  number_of(T)))
    out[]
end

function dense(B::Matrix{T}) where {T}
    out = Ref{Ptr{Cvoid}}(C_NULL)
    require(ccall((:spk_dnmat_create, libspk), Int32, (Ref{Ptr{Cvoid}}, Int64, Int64, Int64, Ptr{T}, Int32, Int32),
                  out, size(B, 1), size(B, 2), max(stride(B, 2), 1), B, number_of(T), ORDER_COL))
    out[]
end

destroy_sparse(mat) = ccall((:spk_spmat_destroy, libspk), Cvoid, (Ptr{Cvoid},), mat)
destroy_dense(mat) = ccall((:spk_dnmat_destroy, libspk), Cvoid, (Ptr{Cvoid},), mat)

# C = alpha A B + beta C
function spmm!(h, alpha::T, A::SparseMatrixCSC{T,Int64}, B::Matrix{T}, beta::T, C::Matrix{T}) where {T}
    GC.@preserve A B C begin
        a, b, c = transposed_csr(A), dense(B), dense(C)
        status = ccall((:spk_spmm, libspk), Int32,
                       (Ptr{Cvoid}, Int32, Int32, Ref{T}, Ptr{Cvoid}, Ptr{Cvoid}, Ref{T}, Ptr{Cvoid}, Int32, Int32,
                        Ptr{Cvoid}, Csize_t),
                       h, OP_T, OP_N, alpha, a, b, beta, c, number_of(T), ALG_DEFAULT, C_NULL, 0)
        foreach(destroy_dense, (b, c))
        destroy_sparse(a)
        require(status)
    end
    C
end

# Stored entries of S become those of P * transpose(Q); for the transpose that is stored, of Q * transpose(P).
function sddmm!(h, P::Matrix{T}, Q::Matrix{T}, S::SparseMatrixCSC{T,Int64}) where {T}
    GC.@preserve P Q S begin
        s, p, q = transposed_csr(S), dense(P), dense(Q)
        status = ccall((:spk_sddmm, libspk), Int32,
                       (Ptr{Cvoid}, Int32, Int32, Ref{T}, Ptr{Cvoid}, Ptr{Cvoid}, Ref{T}, Ptr{Cvoid}, Int32, Int32,
                        Ptr{Cvoid}, Csize_t),
                       h, OP_N, OP_T, one(T), q, p, zero(T), s, number_of(T), ALG_DEFAULT, C_NULL, 0)
        foreach(destroy_dense, (p, q))
        destroy_sparse(s)
        require(status)
    end
    S
end

function check(::Type{T}, h) where {T}
    A = sparse([1, 1, 2, 3, 3], [1, 3, 4, 1, 2], T[1, 2, 3, 4, 5], 3, 4)
    B = T[1 2; 3 4; 5 6; 7 8]
    P = T[1 2; 3 4; 5 6]
    C = spmm!(h, T(2), A, B, T(1), ones(T, 3, 2))
    # Small whole numbers: every sum is exact, so equality is the right question.
    C == 2 * Matrix(A) * B .+ 1 || error("SpMM: wrong result $C")
    S = sddmm!(h, P, B, copy(A))
    S == sparse([1, 1, 2, 3, 3], [1, 3, 4, 1, 2], T[5, 17, 53, 17, 39], 3, 4) || error("SDDMM: wrong result $S")
end

let h = handle()
    foreach(T -> check(T, h), (Float32, Float64))
    ccall((:spk_destroy, libspk), Cvoid, (Ptr{Cvoid},), h)
end
println("Julia: right")
