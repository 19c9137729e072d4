package dev.tutti.cli.bench;

import dev.tutti.comm.CommException;
import dev.tutti.comm.ConfigException;
import dev.tutti.comm.LocalRanks;
import dev.tutti.comm.ProcessGroup;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.net.InetAddress;
import java.net.Socket;

/**
 * The main class of the processes that {@code tutti bench} measures; not meant to be called by
 * hand.
 */
public final class RankMain {
  private RankMain() {}

  /**
   * Joins the group, tells the conductor so, and obeys it.
   *
   * @param arguments see {@link RankSettings}
   */
  public static void main(String[] arguments) throws Exception {
    String token = System.getenv(RankSettings.TOKEN);
    if (token == null) {
      System.err.println("this is a part of tutti bench, which starts it; run: tutti bench --help");
      System.exit(2);
      return;
    }
    RankSettings settings = RankSettings.parse(arguments);
    boolean well = false;
    try {
      well = join(settings, token);
    } catch (ConfigException | IllegalStateException | CommException e) {
      // The message says it all.
      System.err.println(e.getMessage());
    }
    System.exit(well ? 0 : 1);
  }

  private static boolean join(RankSettings settings, String token) throws IOException {
    if (settings.threads() > 0) {
      return !LocalRanks.call(
              settings.threads(), settings.config(), group -> play(settings, group, token))
          .contains(false);
    }
    try (ProcessGroup group = ProcessGroup.init(settings.config())) {
      return play(settings, group, token);
    }
  }

  private static boolean play(RankSettings settings, ProcessGroup group, String token)
      throws IOException {
    try (Lines conductor =
        new Lines(new Socket(InetAddress.getLoopbackAddress(), settings.port()))) {
      conductor.send("ready", token, settings.backend(), group.rank(), group.backend());
      Memory memory =
          settings.heap()
              ? Memory.onHeap(settings.bytes(), settings.type())
              // Never freed: after a failure the memory is the backend's until the process ends.
              : Memory.inArena(Arena.global(), settings.bytes(), settings.type());
      return new RankPlayer(group, memory, settings.op(), settings.root()).play(conductor);
    }
  }
}
