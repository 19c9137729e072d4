/*
 * What a C programmer writes: allReduce of floats on MPI_COMM_WORLD, blocking and non-blocking, so
 * many times. MpiComparison compiles this with mpicc -O2 -shared and calls it from the same
 * processes, turn by turn with Tutti.
 */
#include <mpi.h>

/* Returns the seconds that the repetitions took. */
double allreduce_blocking(const void *send, void *recv, int count, int repetitions) {
  double start = MPI_Wtime();
  for (int i = 0; i < repetitions; i++) {
    MPI_Allreduce(send, recv, count, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
  }
  return MPI_Wtime() - start;
}

/* The same with a request that is waited for at once. */
double allreduce_nonblocking(const void *send, void *recv, int count, int repetitions) {
  double start = MPI_Wtime();
  for (int i = 0; i < repetitions; i++) {
    MPI_Request request;
    MPI_Iallreduce(send, recv, count, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  return MPI_Wtime() - start;
}
