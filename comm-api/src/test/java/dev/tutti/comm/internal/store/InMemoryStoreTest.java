package dev.tutti.comm.internal.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.comm.PeerFailedException;
import dev.tutti.comm.Store;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class InMemoryStoreTest extends StoreSuite {
  private InMemoryStore store = new InMemoryStore(1);

  @Override
  int waiting() {
    return store.waiterCount();
  }

  @Override
  List<Store> open(int size) {
    store = new InMemoryStore(size);
    return ranks(size, rank -> store.view());
  }

  @Test
  void anExchangeOfTheWholeJobFailsAtOnceWhenARankIsDead() {
    InMemoryStore job = new InMemoryStore(3);
    job.died(2, "killed");
    assertThatThrownBy(() -> job.view().exchange("init", 0, 3, bytes("v"), Duration.ofSeconds(10)))
        .isInstanceOfSatisfying(PeerFailedException.class, e -> assertThat(e.rank()).isEqualTo(2))
        .hasMessageContaining("\"init\"")
        .hasMessageContaining("rank 2 died (killed)");
  }
}
