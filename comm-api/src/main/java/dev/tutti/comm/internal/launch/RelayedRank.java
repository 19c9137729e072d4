package dev.tutti.comm.internal.launch;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.BufferedReader;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * A rank that another program has started, known by its pipes: a process of which this one is not
 * the parent.
 */
final class RelayedRank extends Process {
  private final Process starter;
  private final InputStream output;
  private final InputStream errors;
  private final CompletableFuture<Integer> exit = new CompletableFuture<>();
  private volatile @Nullable ProcessHandle self;

  /**
   * @param starter the program that starts it
   * @param end the pipe in which it says its number and, on a further line, its exit code
   */
  RelayedRank(Process starter, int rank, Path end, Path output, Path errors) {
    this.starter = starter;
    this.output = new LateInput(output, starter);
    this.errors = new LateInput(errors, starter);
    Thread.ofPlatform().daemon().name("tutti-rank-" + rank).start(() -> listen(end));
  }

  private void listen(Path end) {
    try (LateInput input = new LateInput(end, starter);
        BufferedReader lines = new BufferedReader(new InputStreamReader(input, US_ASCII))) {
      String number = lines.readLine();
      if (number != null) {
        self = ProcessHandle.of(Long.parseLong(number.strip())).orElse(null);
      }
      String code = lines.readLine();
      if (code != null) {
        exit.complete(Integer.parseInt(code.strip()));
        return;
      }
    } catch (IOException | NumberFormatException e) {
      // As if it had said nothing.
    }
    // It was killed with its shell, or never started: its starter knows more.
    var _ = starter.onExit().thenAccept(ended -> exit.complete(Math.max(1, ended.exitValue())));
  }

  @Override
  public OutputStream getOutputStream() {
    return OutputStream.nullOutputStream();
  }

  @Override
  public InputStream getInputStream() {
    return output;
  }

  @Override
  public InputStream getErrorStream() {
    return errors;
  }

  @Override
  public int waitFor() throws InterruptedException {
    try {
      return exit.get();
    } catch (ExecutionException e) {
      throw new IllegalStateException(e.getCause());
    }
  }

  @Override
  public int exitValue() {
    if (!exit.isDone()) {
      throw new IllegalThreadStateException("the rank has not ended");
    }
    return exit.resultNow();
  }

  @Override
  public CompletableFuture<Process> onExit() {
    return exit.thenApply(code -> this);
  }

  @Override
  public boolean isAlive() {
    return !exit.isDone();
  }

  /** Its own process; as long as that is not known, that which starts it. */
  @Override
  public ProcessHandle toHandle() {
    ProcessHandle known = self;
    return known == null ? starter.toHandle() : known;
  }

  @Override
  public void destroy() {
    toHandle().destroy();
  }

  /** A pipe that is opened, which waits for the other end, by whoever first reads it. */
  private static final class LateInput extends InputStream {
    private final Path path;
    private final Process starter;
    private @Nullable InputStream opened;

    LateInput(Path path, Process starter) {
      this.path = path;
      this.starter = starter;
    }

    private synchronized InputStream open() throws IOException {
      InputStream stream = opened;
      if (stream == null) {
        // Where nobody will come any more there is nobody to wait for.
        stream =
            starter.isAlive() ? new FileInputStream(path.toFile()) : InputStream.nullInputStream();
        opened = stream;
      }
      return stream;
    }

    @Override
    public int read() throws IOException {
      return open().read();
    }

    @Override
    public int read(byte[] bytes, int offset, int length) throws IOException {
      return open().read(bytes, offset, length);
    }

    @Override
    public void close() throws IOException {
      InputStream stream = opened;
      if (stream != null) {
        stream.close();
      }
    }
  }
}
