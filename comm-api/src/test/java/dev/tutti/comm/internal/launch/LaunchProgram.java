package dev.tutti.comm.internal.launch;

import java.util.List;

/** A launcher as a process of its own: two ranks of the command that is its arguments. */
final class LaunchProgram {
  private LaunchProgram() {}

  public static void main(String[] arguments) throws Exception {
    LaunchResult result = Launcher.of(2, List.of(arguments)).run();
    System.exit(result.exitCode());
  }
}
