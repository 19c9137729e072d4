package dev.tutti.cli;

import dev.tutti.comm.internal.Backends;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;
import picocli.CommandLine.UnmatchedArgumentException;

/** Shows a command's help, or what a topic is about. */
@Command(
    name = "help",
    description = "Shows the help of a command, or of the topic \"backends\".",
    footer = {"", "Examples:", "  tutti help run", "  tutti help backends"})
final class HelpCommand implements Runnable {
  private static final String BACKENDS = "backends";

  @Spec private CommandSpec spec;

  @Parameters(
      arity = "0..1",
      paramLabel = "COMMAND",
      description = "A command, or \"backends\". Without it, the help of tutti itself.")
  private @Nullable String topic;

  @SuppressWarnings("NullAway.Init") // picocli sets the fields
  HelpCommand() {}

  @Override
  public void run() {
    CommandLine parent = spec.parent().commandLine();
    PrintWriter out = spec.commandLine().getOut();
    CommandLine command = topic == null ? null : parent.getSubcommands().get(topic);
    if (topic == null) {
      parent.usage(out);
    } else if (topic.equals(BACKENDS)) {
      out.print(BackendList.describe(Backends.load()));
      out.flush();
    } else if (command != null) {
      command.usage(out);
    } else {
      List<String> unknown = new ArrayList<>(List.of(topic));
      throw new UnmatchedArgumentException(parent, unknown);
    }
  }
}
