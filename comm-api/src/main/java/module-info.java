/**
 * Collective communication between processes: the API that programs use, and the interface that
 * backends implement.
 *
 * <p>Packages under {@code dev.tutti.comm.internal} are open to Tutti's own modules only.
 */
@SuppressWarnings("module") // friends that are not there when this module is compiled
module dev.tutti.comm {
  requires jdk.jfr;
  requires static jdk.incubator.vector;
  requires static transitive org.jspecify;

  exports dev.tutti.comm;
  exports dev.tutti.comm.spi;
  exports dev.tutti.comm.internal to
      dev.tutti.tcp,
      dev.tutti.mpi,
      dev.tutti.nccl,
      dev.tutti.conformance,
      dev.tutti.cli;
  exports dev.tutti.comm.internal.config to
      dev.tutti.tcp,
      dev.tutti.conformance,
      dev.tutti.cli;
  exports dev.tutti.comm.internal.control to
      dev.tutti.tcp,
      dev.tutti.mpi,
      dev.tutti.nccl,
      dev.tutti.conformance;
  exports dev.tutti.comm.internal.launch to
      dev.tutti.conformance,
      dev.tutti.cli;
  exports dev.tutti.comm.internal.reduce to
      dev.tutti.tcp,
      dev.tutti.mpi,
      dev.tutti.nccl,
      dev.tutti.conformance,
      dev.tutti.cli;
  exports dev.tutti.comm.internal.rendezvous to
      dev.tutti.conformance,
      dev.tutti.cli;
  exports dev.tutti.comm.internal.store to
      dev.tutti.conformance,
      dev.tutti.cli;

  uses dev.tutti.comm.spi.BackendProvider;

  provides dev.tutti.comm.spi.BackendProvider with
      dev.tutti.comm.internal.local.LocalBackend;
}
