package dev.tutti.comm.spi;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** A reason that travels as an object. */
class AvailabilityTest {
  @Test
  void yes() {
    assertThat(Availability.yes().isAvailable()).isTrue();
    assertThat(Availability.yes().describe()).isEqualTo("available");
  }

  @Test
  void noSaysWhyAndWhatToDo() {
    Availability no = Availability.no("libnccl.so was not found", "install it");

    assertThat(no.isAvailable()).isFalse();
    assertThat(no.describe()).isEqualTo("libnccl.so was not found; install it");
    assertThat(Availability.no("this is a Tuesday", null).describe())
        .isEqualTo("this is a Tuesday");
  }
}
