// SPDX-License-Identifier: Apache-2.0
// Kernels of the bench, written without any header. bench_kernels.ptx is what clang makes of this file:
// clang++ -x cuda --cuda-device-only -S --cuda-gpu-arch=sm_80 -nocudainc -nocudalib -O3 -gline-tables-only
#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define TX __nvvm_read_ptx_sreg_tid_x()
#define BX __nvvm_read_ptx_sreg_ctaid_x()
#define NX __nvvm_read_ptx_sreg_ntid_x()
typedef float f4 __attribute__((ext_vector_type(4)));
__constant__ float coef[4] = {1,2,3,4};
__device__ int hits = 3;
extern "C" __global__ void vadd(const float* a, const float* b, float* c, int n){ int i=BX*NX+TX; if(i<n) c[i]=a[i]+b[i]; }
extern "C" __global__ void rowsum(const float* x, float* y, int cols){
  __shared__ float part[32]; const float* r=x+(unsigned long)BX*cols; float s=0;
  for(int i=TX;i<cols;i+=NX) s+=r[i];
  for(int o=16;o;o>>=1) s+=__nvvm_shfl_sync_bfly_f32(~0u,s,o,31);
  if((TX&31)==0) part[TX>>5]=s; __nvvm_bar_sync(0);
  if(TX==0){ float t=0; for(int i=0;i<(int)(NX/32);i++) t+=part[i]; y[BX]=t; } }
extern "C" __global__ void gemm(const float*A,const float*B,float*C,int n){
  __shared__ float As[64][17]; __shared__ float Bs[16][64];
  int tx=TX&15, ty=TX>>4; int r0=__nvvm_read_ptx_sreg_ctaid_y()*64, c0=BX*64; float acc[4][4]={};
  for(int k0=0;k0<n;k0+=16){
    for(int e=TX;e<64*16;e+=256){ As[e>>4][e&15]=A[(r0+(e>>4))*n+k0+(e&15)]; }
    for(int e=TX;e<64*16;e+=256){ Bs[e>>6][e&63]=B[(k0+(e>>6))*n+c0+(e&63)]; }
    __nvvm_bar_sync(0);
    #pragma unroll
    for(int k=0;k<16;k++){ float a[4],b[4]; 
      #pragma unroll
      for(int i=0;i<4;i++)a[i]=As[ty*4+i][k]; 
      #pragma unroll
      for(int j=0;j<4;j++)b[j]=Bs[k][tx+16*j];
      #pragma unroll
      for(int i=0;i<4;i++) 
      #pragma unroll
      for(int j=0;j<4;j++) acc[i][j]+=a[i]*b[j]; }
    __nvvm_bar_sync(0); }
  for(int i=0;i<4;i++)for(int j=0;j<4;j++) C[(r0+ty*4+i)*n+c0+tx+16*j]=acc[i][j]; }
extern "C" __global__ void v4copy(const f4*x,f4*y,int n){int i=BX*NX+TX; if(i<n) y[i]=x[i]*coef[i&3];}
extern "C" __global__ void diverge(int*o,int n){int i=BX*NX+TX; int s=0; for(int k=0;k<=(i&31);k++){ if((k&1)) s+=k*i; else s^=k; if(s>100000) break;} o[i]=s+(i%7)/2+n/(i+1);}
extern "C" __global__ void atom(int*o){ __nvvm_atom_add_gen_i((int*)o,1); __nvvm_atom_add_gen_i((int*)&hits,1); }
extern "C" __global__ void polynomial(const float *x, float *y, int n) { // arithmetic and little else
  int i = BX * NX + TX; float v = x[i], s = 0.5f;
  for (int k = 0; k < n; ++k) { s = s * v + 1.25f; s = s * v - 0.75f; s = s * v + 0.5f; s = s * v + v; }
  y[i] = s; }
