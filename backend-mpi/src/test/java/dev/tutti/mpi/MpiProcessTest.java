package dev.tutti.mpi;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class MpiProcessTest {
  private final FakeMpi mpi = FakeMpi.ranks(1).getFirst();
  private final MpiProcess process = new MpiProcess(mpi);

  @Test
  void mpiIsEndedOnce() {
    process.finish(Duration.ofSeconds(10));
    assertThat(mpi.finished).isEqualTo(1);
  }

  @Test
  void mpiIsNotEndedAfterAFailureSinceItWouldWaitForTheDead() {
    process.abandon("a request");
    process.finish(Duration.ofSeconds(10));
    assertThat(mpi.finished).isZero();
  }

  @Test
  void theEndWaitsNoLongerThanAllowedForAThreadThatIsStuckInMpi() throws InterruptedException {
    Thread stuck = Thread.ofPlatform().start(process::tryEnter);
    stuck.join();
    process.finish(Duration.ofMillis(50));
    assertThat(mpi.finished).isZero();
  }
}
