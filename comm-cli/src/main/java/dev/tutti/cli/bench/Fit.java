package dev.tutti.cli.bench;

import dev.tutti.cli.text.Json;
import dev.tutti.cli.text.JsonReader;
import dev.tutti.cli.text.Rates;
import dev.tutti.comm.ConfigException;
import dev.tutti.tcp.simulate.Network;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The network that {@code tutti bench --fit} measured, as a file keeps it.
 *
 * @param backend the config string that was measured
 * @param ranks how many ranks there were, all on one host
 * @param network what was found, without the host's cores
 * @param residual root mean square of the relative errors of the line through the ping-pongs
 * @param machine what was measured on, by name
 */
public record Fit(
    String backend, int ranks, Network network, double residual, Map<String, Object> machine) {
  private static final double NANOS = 1e9;

  /** Returns the fit as JSON: seconds, and bytes a second; null where there is no bound. */
  public String json() {
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("backend", backend);
    json.put("ranks", ranks);
    json.put("alphaSeconds", network.latency().toNanos() / NANOS);
    json.put("betaBytesPerSecond", network.bandwidth());
    json.put("copyBytesPerSecond", network.copyBandwidth());
    json.put("gammaBytesPerSecond", network.reduceBandwidth());
    json.put("overheadSeconds", network.overhead().toNanos() / NANOS);
    json.put("residual", residual);
    json.put("machine", machine);
    return Json.write(json);
  }

  /**
   * Reads what {@link #json()} wrote.
   *
   * @param file the file that {@code tutti bench --fit FILE} wrote
   * @throws ConfigException if there is no such file, or something else is in it
   */
  public static Fit read(String file) {
    String text;
    try {
      text = Files.readString(Path.of(file));
    } catch (IOException e) {
      throw new ConfigException(
          "--fit %s: cannot read it (%s); write one with: tutti bench --fit %s"
              .formatted(file, e, file),
          e);
    }
    try {
      if (!(JsonReader.read(text) instanceof Map<?, ?> map)) {
        throw new IllegalArgumentException("it holds no object");
      }
      return new Fit(
          String.valueOf(map.get("backend")),
          (int) number(map, "ranks"),
          new Network(
              duration(map, "alphaSeconds"),
              rate(map, "betaBytesPerSecond"),
              rate(map, "copyBytesPerSecond"),
              rate(map, "gammaBytesPerSecond"),
              duration(map, "overheadSeconds"),
              0),
          number(map, "residual"),
          Map.of());
    } catch (IllegalArgumentException e) {
      String why = String.valueOf(e.getMessage()).lines().findFirst().orElse("");
      throw new ConfigException(
          "--fit %s is not what tutti bench --fit writes: %s".formatted(file, why), e);
    }
  }

  private static double number(Map<?, ?> map, String key) {
    if (map.get(key) instanceof Double number) {
      return number;
    }
    throw new IllegalArgumentException("\"" + key + "\" is no number");
  }

  private static double rate(Map<?, ?> map, String key) {
    @Nullable Object none = map.get(key);
    return none == null && map.containsKey(key) ? Double.POSITIVE_INFINITY : number(map, key);
  }

  private static Duration duration(Map<?, ?> map, String key) {
    return Duration.ofNanos(Math.round(number(map, key) * NANOS));
  }

  /** Returns a network in one line, such as {@code alpha 5.00us, beta 5.00GB/s, …}. */
  public static String describe(Network network) {
    return "alpha %s, beta %s, copy %s, gamma %s, overhead %s"
        .formatted(
            micros(network.latency()),
            Rates.format(network.bandwidth()),
            Rates.format(network.copyBandwidth()),
            Rates.format(network.reduceBandwidth()),
            micros(network.overhead()));
  }

  private static String micros(Duration duration) {
    return String.format(Locale.ROOT, "%.2fus", duration.toNanos() / 1000.0);
  }
}
