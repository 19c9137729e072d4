/**
 * The MPI backend of Tutti, on Open MPI's Java bindings: a provider of the name {@code mpi}; it
 * exports nothing. The bindings are no module; what needs them is compiled where they are there.
 */
module dev.tutti.mpi {
  requires dev.tutti.comm;
  requires static org.jspecify;

  provides dev.tutti.comm.spi.BackendProvider with
      dev.tutti.mpi.MpiBackend;
}
