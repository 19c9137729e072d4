package dev.tutti.cli;

import dev.tutti.comm.CommConfig;
import dev.tutti.comm.internal.Backends;
import dev.tutti.comm.internal.config.ConfigDocs;
import java.io.PrintWriter;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Checks a config string, and lists the keys that there are. */
@Command(
    name = "config",
    description = "Checks a config string and shows how it is understood; lists all keys.",
    footer = {
      "",
      "Examples:",
      "  tutti config                          the string that a program would find here; all keys",
      "  tutti config 'tcp?iface=eth0'         whether this one is right",
      "",
      "Exit code: 0, or 2 if the string is wrong."
    })
final class ConfigCommand implements Runnable, Verbosity.Aware {
  @Mixin private final Verbosity verbosity = new Verbosity();

  @Spec private CommandSpec spec;

  @Parameters(
      arity = "0..1",
      paramLabel = "CONFIG",
      description = "The string. Without it, the one of tutti.backend or TUTTI_BACKEND, or auto.")
  private @Nullable String config;

  @SuppressWarnings("NullAway.Init") // picocli sets the fields
  ConfigCommand() {}

  @Override
  public Verbosity verbosity() {
    return verbosity;
  }

  @Override
  public void run() {
    Backends backends = Backends.load();
    CommConfig checked = CommConfig.resolve(config).check(backends.providers());
    PrintWriter out = spec.commandLine().getOut();
    out.println(checked.origin());
    out.println("is the same as " + checked.canonical());
    if (config == null) {
      out.println();
      out.print(ConfigDocs.plainText(backends.providers()));
    }
    out.flush();
  }
}
