package dev.tutti.comm.internal.rendezvous;

import dev.tutti.comm.ConfigException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A rendezvous address: {@code scheme://place?key=value&...}. Not a {@link java.net.URI}, which
 * knows no host with an underscore.
 *
 * @param text the whole, for messages
 * @param scheme what stands before {@code ://}
 * @param place what stands between it and the question mark, decoded
 * @param parameters what stands behind the question mark, decoded
 */
record RendezvousAddress(String text, String scheme, String place, Map<String, String> parameters) {
  private static final List<String> KEYS =
      List.of("rank", "size", "localRank", "localSize", "hosted", "job");

  static final String FORMS =
      "env://, tcp://host:port?rank=0&size=4 or file:///folder?rank=0&size=4";

  static RendezvousAddress parse(String origin, String text) {
    int colon = text.indexOf("://");
    if (colon < 0) {
      throw new ConfigException(
          origin + " \"" + text + "\" is no rendezvous address. Write one of " + FORMS);
    }
    int question = text.indexOf('?');
    String place = text.substring(colon + 3, question < 0 ? text.length() : question);
    Map<String, String> parameters = new LinkedHashMap<>();
    if (question >= 0 && question < text.length() - 1) {
      for (String pair : text.substring(question + 1).split("&", -1)) {
        int equals = pair.indexOf('=');
        String key = equals < 0 ? pair : pair.substring(0, equals);
        if (!KEYS.contains(key) || equals < 0) {
          throw new ConfigException(
              "\""
                  + pair
                  + "\" in the rendezvous address "
                  + text
                  + " is not understood. The parameters are "
                  + String.join("=, ", KEYS)
                  + "=");
        }
        if (parameters.put(key, decoded(text, pair.substring(equals + 1))) != null) {
          throw new ConfigException(key + "= stands twice in the rendezvous address " + text);
        }
      }
    }
    return new RendezvousAddress(
        text, text.substring(0, colon), decoded(text, place), Map.copyOf(parameters));
  }

  /** Returns the host of {@code host:port}, without an IPv6 address's brackets. */
  String host() {
    int colon = place.lastIndexOf(':');
    String host = colon < 0 ? "" : place.substring(0, colon);
    if (host.startsWith("[") && host.endsWith("]")) {
      host = host.substring(1, host.length() - 1);
    } else if (host.indexOf(':') >= 0) {
      throw new ConfigException(
          "The host in " + text + " is an IPv6 address: put it into brackets, tcp://[::1]:29500");
    }
    if (host.isEmpty()) {
      throw new ConfigException(
          "The rendezvous address " + text + " has no host and port. Write one of " + FORMS);
    }
    return host;
  }

  /** Returns the port of {@code host:port}. */
  int port() {
    String digits = place.substring(place.lastIndexOf(':') + 1);
    String name = "The port of " + text;
    return Variables.checkedPort(name, Variables.number(name, digits));
  }

  int number(String key, int otherwise) {
    String value = parameters.get(key);
    return value == null ? otherwise : Variables.number(key + " in " + text, value);
  }

  private static String decoded(String text, String part) {
    try {
      // A plus stays a plus: this is an address, not a form.
      return URLDecoder.decode(part.replace("+", "%2B"), StandardCharsets.UTF_8);
    } catch (IllegalArgumentException e) {
      throw new ConfigException("\"" + part + "\" in " + text + " is not decoded by %XX", e);
    }
  }
}
