package dev.tutti.conformance;

import dev.tutti.comm.internal.Backends;
import dev.tutti.comm.spi.Availability;
import dev.tutti.comm.spi.BackendProvider;
import dev.tutti.comm.spi.Communicator;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;

/** The backend {@code local} with one fault, which the suite must find. */
public final class MutantBackend implements BackendProvider {
  @Override
  public String name() {
    return "mutant";
  }

  @Override
  public int priority() {
    return 0;
  }

  @Override
  public Availability availability() {
    return Availability.yes();
  }

  @Override
  public Set<String> devices() {
    return Set.of("cpu");
  }

  @Override
  public List<Key> keys() {
    return List.of(
        new Key(
            "fault",
            Type.CHOICE,
            Fault.NONE.key(),
            Stream.of(Fault.values()).map(Fault::key).toList(),
            "what is done wrong"));
  }

  @Override
  public Placement placement() {
    return Placement.MANY_PER_PROCESS;
  }

  @Override
  public Communicator connect(Context context) {
    BackendProvider local = Objects.requireNonNull(Backends.load().provider("local"));
    return MutantCommunicator.around(
        local.connect(context),
        Fault.of(context.options().text("fault")),
        context.rank(),
        context.size());
  }
}
