package dev.tutti.comm.internal.local;

import dev.tutti.comm.BackendUnavailableException;
import dev.tutti.comm.spi.Availability;
import dev.tutti.comm.spi.BackendProvider;
import dev.tutti.comm.spi.Communicator;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;

/** The backend {@code local}: all ranks are threads of one process. Naive, and the reference. */
public final class LocalBackend implements BackendProvider {
  private static final String PROCESS = UUID.randomUUID().toString();

  /** The groups that not all ranks have entered yet. */
  private static final ConcurrentHashMap<String, Map<Integer, LocalCommunicator>> MEETINGS =
      new ConcurrentHashMap<>();

  @Override
  public String name() {
    return "local";
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
    return List.of();
  }

  @Override
  public Placement placement() {
    return Placement.MANY_PER_PROCESS;
  }

  /** Every rank tells its process and an id; the ranks meet under the first rank's. */
  @Override
  public Communicator connect(Context context) {
    byte[] id = (PROCESS + UUID.randomUUID()).getBytes(StandardCharsets.UTF_8);
    List<byte[]> all =
        context.store().exchange("local", context.rank(), context.size(), id, context.timeout());
    List<String> ids =
        all.stream().map(bytes -> new String(bytes, StandardCharsets.UTF_8)).toList();
    if (!ids.stream().allMatch(text -> text.startsWith(PROCESS))) {
      throw new BackendUnavailableException(
          "the ranks of group %s are in different processes; local works within one, tcp between them"
              .formatted(context.group()),
          null);
    }
    LocalCommunicator[] mine = new LocalCommunicator[1];
    MEETINGS.compute(
        ids.getFirst(),
        (name, meeting) -> {
          Map<Integer, LocalCommunicator> absent =
              meeting == null ? LocalCommunicator.group(this, context) : meeting;
          mine[0] = Objects.requireNonNull(absent.remove(context.rank()));
          return absent.isEmpty() ? null : absent;
        });
    return mine[0];
  }
}
