package dev.tutti.conformance;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.comm.spi.Availability;
import org.junit.jupiter.api.Test;
import org.opentest4j.TestAbortedException;

class RequiredTest {
  private static final Availability ABSENT =
      Availability.no("libmpi_java.so not found", "run ./tutti setup mpi");

  @Test
  void whatIsThereIsTested() {
    assertThatCode(() -> Required.check("mpi", Availability.yes(), "mpi"))
        .doesNotThrowAnyException();
    assertThatCode(() -> Required.check("mpi", Availability.yes(), null))
        .doesNotThrowAnyException();
  }

  @Test
  void whatIsAbsentIsSkippedWithItsOwnReason() {
    for (String required : new String[] {null, "", "nccl", "mpix,nccl"}) {
      assertThatThrownBy(() -> Required.check("mpi", ABSENT, required))
          .isInstanceOf(TestAbortedException.class)
          .hasMessageContaining("mpi: libmpi_java.so not found; run ./tutti setup mpi");
    }
  }

  @Test
  void whatIsRequiredMustBeThere() {
    for (String required : new String[] {"mpi", "nccl,mpi,docker"}) {
      assertThatThrownBy(() -> Required.check("mpi", ABSENT, required))
          .isInstanceOf(AssertionError.class)
          .hasMessageContaining("libmpi_java.so not found")
          .hasMessageContaining("TUTTI_REQUIRE");
    }
  }

  @Test
  void unknownBackendsAreAbsent() {
    assertThatThrownBy(() -> Required.backend("no-such-backend"))
        .isInstanceOf(TestAbortedException.class)
        .hasMessageContaining("no backend \"no-such-backend\"")
        .hasMessageContaining("local");
  }
}
