package dev.tutti.conformance;

import dev.tutti.comm.spi.Availability;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Assumptions;

/**
 * Decides what becomes of tests whose backend is absent: they are skipped with the backend's own
 * reason, unless the variable {@code TUTTI_REQUIRE=name,…} asks for it; then they fail.
 */
final class Required {
  private Required() {}

  static void backend(String name) {
    check(name, Conformance.availability(name), System.getenv("TUTTI_REQUIRE"));
  }

  static void check(String name, Availability availability, @Nullable String required) {
    if (availability.isAvailable()) {
      return;
    }
    String reason = name + ": " + availability.describe();
    if (required != null && List.of(required.split(",", -1)).contains(name)) {
      Assertions.fail(reason + " (TUTTI_REQUIRE=" + required + ")");
    }
    Assumptions.abort(reason);
  }
}
