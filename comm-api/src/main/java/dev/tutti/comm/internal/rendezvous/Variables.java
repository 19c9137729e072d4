package dev.tutti.comm.internal.rendezvous;

import dev.tutti.comm.ConfigException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** An environment, read with errors that name the variable and its value. */
record Variables(Map<String, String> env) {
  /** Returns a variable's value without surrounding blanks, or null if it is not set or blank. */
  @Nullable String text(String name) {
    String value = env.get(name);
    return value == null || value.isBlank() ? null : value.strip();
  }

  /** Returns the value of the first variable that is set, or null. */
  @Nullable String first(String... names) {
    for (String name : names) {
      String value = text(name);
      if (value != null) {
        return value;
      }
    }
    return null;
  }

  boolean has(String name) {
    return text(name) != null;
  }

  /** Returns a number that is at least 0, or null if the variable is not set. */
  @Nullable Integer number(String name) {
    String value = text(name);
    return value == null ? null : number(name, value);
  }

  /** Returns the number of the first variable that is set, or {@code otherwise}. */
  int firstNumber(int otherwise, String... names) {
    for (String name : names) {
      Integer value = number(name);
      if (value != null) {
        return value;
      }
    }
    return otherwise;
  }

  int required(String name, String why) {
    Integer value = number(name);
    if (value == null) {
      throw new ConfigException(name + " is not set. " + why);
    }
    return value;
  }

  int port(String name) {
    int port = required(name, "It is the port of the job's store on MASTER_ADDR");
    return checkedPort(name, port);
  }

  static int checkedPort(String name, int port) {
    if (port < 1 || port > 65535) {
      throw new ConfigException(
          name + "=" + port + " is not a port: it must be in [1, 65535], the same on all ranks");
    }
    return port;
  }

  /** Returns the names that are set, with their values. */
  String present(String... names) {
    List<String> found = new ArrayList<>();
    for (String name : names) {
      String value = text(name);
      if (value != null) {
        found.add(name + "=" + value);
      }
    }
    return String.join(", ", found);
  }

  static int number(String name, String value) {
    try {
      int number = Integer.parseInt(value);
      if (number >= 0) {
        return number;
      }
    } catch (NumberFormatException e) {
      // Said below.
    }
    throw new ConfigException(name + "=" + value + " is not a number that is at least 0");
  }

  /** Checks a rank against a size; the names are those of where they were found. */
  static Place place(
      String rankName, int rank, String sizeName, int size, int localRank, int localSize) {
    if (size < 1) {
      throw new ConfigException(sizeName + "=" + size + ": a job has at least 1 rank");
    }
    if (rank >= size) {
      throw new ConfigException(
          rankName
              + "="
              + rank
              + " contradicts "
              + sizeName
              + "="
              + size
              + ": ranks are numbered from 0 to "
              + (size - 1));
    }
    if (localSize > size || localSize == 0 || (localSize > 0 && localRank >= localSize)) {
      throw new ConfigException(
          "The local rank "
              + localRank
              + " and local size "
              + localSize
              + " contradict each other or "
              + sizeName
              + "="
              + size);
    }
    return new Place(rank, size, localRank, localSize);
  }
}
