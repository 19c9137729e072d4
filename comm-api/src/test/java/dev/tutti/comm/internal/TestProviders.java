package dev.tutti.comm.internal;

import dev.tutti.comm.spi.Availability;
import dev.tutti.comm.spi.BackendProvider;
import dev.tutti.comm.spi.Communicator;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.URL;
import java.net.URLConnection;
import java.net.URLStreamHandler;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Enumeration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;

/** Backends that only one test sees: a class loader with a service file of its own. */
public final class TestProviders {
  private TestProviders() {}

  /** A backend that can be had, of the highest priority, which nobody can connect to. */
  public static class Base implements BackendProvider {
    @Override
    public String name() {
      return "base";
    }

    @Override
    public int priority() {
      return 100;
    }

    @Override
    public Availability availability() {
      return Availability.yes();
    }

    @Override
    public Set<String> devices() {
      return Set.of("cpu");
    }

    @Override
    public List<Key> keys() {
      return List.of();
    }

    @Override
    public Placement placement() {
      return Placement.MANY_PER_PROCESS;
    }

    @Override
    public Communicator connect(Context context) {
      throw new IllegalStateException("nobody is home");
    }
  }

  /** Runs something in a thread whose class loader knows these providers too. */
  public static <T> T with(List<String> serviceLines, Callable<T> body) throws Exception {
    Thread thread = Thread.currentThread();
    ClassLoader before = thread.getContextClassLoader();
    thread.setContextClassLoader(new Loader(serviceLines, before));
    try {
      return body.call();
    } finally {
      thread.setContextClassLoader(before);
    }
  }

  /** Runs something in a thread whose class loader knows these providers too. */
  @SafeVarargs
  public static void with(Runnable body, Class<? extends BackendProvider>... providers)
      throws Exception {
    List<String> lines = new ArrayList<>();
    for (Class<?> provider : providers) {
      lines.add(provider.getName());
    }
    with(
        lines,
        () -> {
          body.run();
          return true;
        });
  }

  private static final class Loader extends ClassLoader {
    private static final String FILE = "META-INF/services/" + BackendProvider.class.getName();
    private final List<String> lines;

    Loader(List<String> lines, ClassLoader parent) {
      super(parent);
      this.lines = lines;
    }

    @Override
    public Enumeration<URL> getResources(String name) throws IOException {
      if (!name.equals(FILE)) {
        return super.getResources(name);
      }
      List<URL> all = new ArrayList<>();
      all.add(URL.of(URI.create("memory:///services"), new Text(String.join("\n", lines))));
      all.addAll(Collections.list(super.getResources(name)));
      return Collections.enumeration(all);
    }
  }

  private static final class Text extends URLStreamHandler {
    private final String text;

    Text(String text) {
      this.text = text;
    }

    @Override
    protected URLConnection openConnection(URL url) {
      return new URLConnection(url) {
        @Override
        public void connect() {
          // Nothing to connect to.
        }

        @Override
        public InputStream getInputStream() {
          return new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8));
        }
      };
    }
  }
}
