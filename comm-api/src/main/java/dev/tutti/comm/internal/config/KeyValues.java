package dev.tutti.comm.internal.config;

import dev.tutti.comm.ConfigException;
import dev.tutti.comm.spi.BackendProvider;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * The values that a config string gives to the keys of one owner, a backend or the group, checked
 * against the keys that it declares. Immutable.
 */
public final class KeyValues {
  private final Origin origin;
  private final String owner;
  private final Map<String, BackendProvider.Key> keys = new TreeMap<>();
  private final Map<String, String> written;
  private final Map<String, String> given = new TreeMap<>();
  private final Map<String, String> defaults = new TreeMap<>();

  /**
   * Checks the values.
   *
   * @param origin the config string
   * @param owner whose keys they are, as messages name it
   * @param written the values by their keys' names, escaped
   * @param declared the owner's keys
   * @throws ConfigException if a key is unknown, or a value is no value of its key
   * @throws IllegalArgumentException if a key is declared twice, with a name that the grammar does
   *     not allow, or with a default that is no value of it
   */
  public KeyValues(
      Origin origin,
      String owner,
      Map<String, String> written,
      List<BackendProvider.Key> declared) {
    this.origin = origin;
    this.owner = owner;
    this.written = Map.copyOf(written);
    declared.forEach(this::declare);
    written.forEach(
        (name, raw) -> {
          BackendProvider.Key key = keys.get(name);
          if (key == null) {
            TreeSet<String> known = new TreeSet<>(keys.keySet());
            GroupKeys.ALL.forEach(groupKey -> known.add(groupKey.name()));
            throw origin.error(
                owner + " has no key " + Quoted.quote(name) + ". " + Nearest.hint(name, known));
          }
          given.put(name, normalise(key, raw));
        });
  }

  private void declare(BackendProvider.Key key) {
    if (!SpecParser.isName(key.name())) {
      throw new IllegalArgumentException(
          owner + " declares the key " + Quoted.quote(key.name()) + ", which nobody can write");
    }
    if (keys.put(key.name(), key) != null) {
      throw new IllegalArgumentException(
          owner + " declares the key " + Quoted.quote(key.name()) + " twice");
    }
    String value = key.defaultValue();
    if (value != null) {
      try {
        defaults.put(key.name(), KeySyntax.normalise(key, value));
      } catch (ConfigException e) {
        throw new IllegalArgumentException(
            owner + " declares the key " + Quoted.quote(key.name()) + " with a wrong default", e);
      }
    }
  }

  private String normalise(BackendProvider.Key key, String raw) {
    try {
      return KeySyntax.normalise(key, raw);
    } catch (ConfigException e) {
      throw origin.error(where(key), e, KeySyntax.advice(key));
    }
  }

  private String where(BackendProvider.Key key) {
    return "key " + Quoted.quote(key.name()) + " of " + owner;
  }

  private BackendProvider.Key key(String name) {
    BackendProvider.Key key = keys.get(name);
    if (key == null) {
      throw new IllegalArgumentException(owner + " declares no key " + Quoted.quote(name));
    }
    return key;
  }

  /** Returns the values that are not their key's default, escaped and written in one way. */
  public Map<String, String> canonical() {
    Map<String, String> values = new TreeMap<>(given);
    defaults.forEach(values::remove);
    return values;
  }

  /**
   * Returns whether a key has a value, given or by default.
   *
   * @throws IllegalArgumentException if the key is not declared
   */
  public boolean has(String name) {
    key(name);
    return given.containsKey(name) || defaults.containsKey(name);
  }

  /** Returns the type with which a key is declared. */
  public BackendProvider.Type type(String name) {
    return key(name).type();
  }

  /**
   * Returns a key's value, given or by default: escaped, and written in one way.
   *
   * @param name the key's name
   * @param type the type as which it will be read
   * @throws ConfigException if it has none
   * @throws IllegalArgumentException if the key is not declared, or with another type
   */
  public String raw(String name, BackendProvider.Type type) {
    BackendProvider.Key key = key(name);
    if (key.type() != type) {
      throw new IllegalArgumentException(
          where(key) + " was declared as " + key.type() + " and read as " + type);
    }
    String value = given.getOrDefault(name, defaults.get(name));
    if (value == null) {
      throw origin.error(where(key) + " has no default and must be given" + KeySyntax.advice(key));
    }
    return value;
  }

  /**
   * Returns the exception to throw if a key's value is out of its bounds.
   *
   * @param name the key's name
   * @param bounds what the value must be, such as {@code 1 to 64}
   */
  public ConfigException outOfRange(String name, String bounds) {
    BackendProvider.Key key = key(name);
    String value = written.getOrDefault(name, defaults.get(name));
    return origin.error(
        where(key)
            + ": "
            + Quoted.quote(String.valueOf(value))
            + " is out of range; it must be "
            + bounds
            + KeySyntax.advice(key));
  }
}
