package dev.tutti.comm.internal.launch;

import dev.tutti.comm.CommException;
import dev.tutti.comm.internal.Deadline;
import dev.tutti.comm.internal.control.Control;
import dev.tutti.comm.internal.rendezvous.Membership;
import dev.tutti.comm.internal.rendezvous.Rendezvous;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;

/**
 * What the child processes of these tests run. Arguments: what to do, then the rendezvous address,
 * or nothing to look around.
 *
 * <p>{@code wait}: join, say "ready", and end with 3 when another rank dies or with 4 when a group
 * breaks. {@code leave}: join, exchange, and let rank 0 go first; the others wait for its end, and
 * tell what they heard.
 */
final class RankProgram {
  private RankProgram() {}

  /** Returns the command that runs this program in a JVM like this one. */
  static List<String> command(String... arguments) {
    return java(RankProgram.class, arguments);
  }

  static List<String> java(Class<?> program, String... arguments) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xmx64m"));
    command.addAll(List.of("-cp", System.getProperty("java.class.path")));
    command.add(program.getName());
    command.addAll(List.of(arguments));
    return command;
  }

  public static void main(String[] arguments) throws Exception {
    String url = arguments.length > 1 ? arguments[1] : null;
    Membership self = Rendezvous.join(url, System.getenv(), Deadline.after(Duration.ofSeconds(20)));
    byte[] mine = String.valueOf(self.rank()).getBytes(StandardCharsets.UTF_8);
    Heard heard = new Heard();
    self.control().subscribe("g", heard);
    self.store().exchange("ready", self.rank(), self.size(), mine, Duration.ofSeconds(20));
    System.out.println("ready");
    if (arguments[0].equals("leave")) {
      leave(self, heard);
    } else {
      heard.something.await();
    }
  }

  private static void leave(Membership self, Heard heard) throws InterruptedException {
    if (self.rank() != 0) {
      while (self.control().detectsDeath() && heard.something.getCount() > 0) {
        Thread.sleep(5);
      }
      System.out.println(
          heard.something.getCount() > 0 ? "rank 0 left, no death" : "a death was told");
    }
    self.close();
  }

  private static final class Heard implements Control.Listener {
    final CountDownLatch something = new CountDownLatch(1);

    @Override
    public void broken(int worldRank, CommException cause) {
      System.out.println("broken " + System.currentTimeMillis() + " " + cause.getMessage());
      something.countDown();
      Runtime.getRuntime().halt(4);
    }

    @Override
    public void died(int worldRank, String reason) {
      System.out.println("died " + System.currentTimeMillis() + " rank " + worldRank);
      something.countDown();
      Runtime.getRuntime().halt(3);
    }
  }
}
