package dev.tutti.cli.simulate;

import dev.tutti.comm.ConfigException;
import dev.tutti.comm.internal.config.Units;
import java.awt.Color;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.knowm.xchart.VectorGraphicsEncoder;
import org.knowm.xchart.VectorGraphicsEncoder.VectorGraphicsFormat;
import org.knowm.xchart.XYChart;
import org.knowm.xchart.XYChartBuilder;
import org.knowm.xchart.XYSeries;
import org.knowm.xchart.style.Styler;
import org.knowm.xchart.style.lines.SeriesLines;
import org.knowm.xchart.style.markers.SeriesMarkers;

/**
 * Draws times over ranks (or over sizes, where there is one number of ranks), both axes
 * logarithmic: a line for what the algorithm takes, a dashed one for the best where that is
 * another.
 */
public final class Plot {
  private static final int WIDTH = 960;
  private static final int HEIGHT = 640;
  private static final String PICTURE = ".svg";
  private static final String DATA = ".dat";
  private static final String BEST = ", best";

  /** A line of the picture. */
  private record Series(List<Double> x, List<Double> micros) {
    Series() {
      this(new ArrayList<>(), new ArrayList<>());
    }

    void add(double at, double time) {
      x.add(at);
      micros.add(time);
    }
  }

  private Plot() {}

  /**
   * Refuses a file whose name says nothing that can be written.
   *
   * @throws ConfigException if the name ends neither with .svg nor with .dat
   */
  public static void check(String file) {
    if (!file.endsWith(PICTURE) && !file.endsWith(DATA)) {
      throw new ConfigException(
          "--plot %s: the name ends with .svg (a picture) or .dat (for gnuplot, with a script beside it)"
              .formatted(file));
    }
  }

  /** Writes the plot; beside data for gnuplot, the script that draws them. */
  static void write(String file, List<Scenario.Row> rows) throws IOException {
    boolean overRanks = rows.stream().map(row -> row.scenario().ranks()).distinct().count() > 1;
    Map<String, Series> series = series(rows, overRanks);
    String axis = overRanks ? "ranks" : "size in bytes";
    if (file.endsWith(PICTURE)) {
      draw(file, series, axis);
    } else {
      String script = file.substring(0, file.length() - DATA.length()) + ".gp";
      Files.writeString(Path.of(file), data(series));
      Files.writeString(Path.of(script), script(file, series, axis));
    }
  }

  private static Map<String, Series> series(List<Scenario.Row> rows, boolean overRanks) {
    Map<String, Series> series = new LinkedHashMap<>();
    for (Scenario.Row row : rows) {
      Scenario scenario = row.scenario();
      String name =
          scenario.operation().label()
              + (overRanks ? " " + Units.formatBytes(scenario.asked()) : "");
      double x = overRanks ? scenario.ranks() : Math.max(1, scenario.bytes());
      // A logarithmic axis has no zero.
      double micros = Math.max(1, row.price().time().toNanos()) / 1000.0;
      double best = Math.max(1, row.price(row.best()).time().toNanos()) / 1000.0;
      series.computeIfAbsent(name, key -> new Series()).add(x, micros);
      series.computeIfAbsent(name + BEST, key -> new Series()).add(x, best);
    }
    series
        .entrySet()
        .removeIf(
            each ->
                each.getKey().endsWith(BEST)
                    && each.getValue().equals(series.get(each.getKey().replace(BEST, ""))));
    return series;
  }

  private static void draw(String file, Map<String, Series> series, String axis)
      throws IOException {
    // Nothing is shown on a screen, even where there is one.
    System.setProperty("java.awt.headless", "true");
    try {
      VectorGraphicsEncoder.saveVectorGraphic(chart(series, axis), file, VectorGraphicsFormat.SVG);
    } catch (LinkageError | InternalError | RuntimeException e) {
      throw new IOException(
          "cannot draw %s: Java finds no fonts here (%s); a plot named .dat needs none"
              .formatted(file, e),
          e);
    }
  }

  private static XYChart chart(Map<String, Series> series, String axis) {
    XYChart chart =
        new XYChartBuilder()
            .width(WIDTH)
            .height(HEIGHT)
            .title("tutti simulate: predicted times")
            .xAxisTitle(axis)
            .yAxisTitle("time (us)")
            .build();
    chart.getStyler().setXAxisLogarithmic(true).setYAxisLogarithmic(true);
    chart.getStyler().setLegendPosition(Styler.LegendPosition.OutsideE);
    chart.getStyler().setChartBackgroundColor(Color.WHITE);
    Color[] colors = chart.getStyler().getSeriesColors();
    int next = 0;
    Color color = Color.BLACK;
    for (Map.Entry<String, Series> each : series.entrySet()) {
      Series points = each.getValue();
      XYSeries drawn = chart.addSeries(each.getKey(), points.x(), points.micros());
      if (each.getKey().endsWith(BEST)) {
        // Right behind the line that it belongs to.
        drawn.setMarker(SeriesMarkers.NONE);
        drawn.setLineStyle(SeriesLines.DASH_DASH);
      } else {
        color = colors[next++ % colors.length];
        drawn.setMarkerColor(color);
      }
      drawn.setLineColor(color);
    }
    return chart;
  }

  /** Blocks of lines, which gnuplot calls by their index. */
  private static String data(Map<String, Series> series) {
    StringBuilder text = new StringBuilder();
    series.forEach(
        (name, points) -> {
          text.append("# ").append(name).append('\n');
          for (int i = 0; i < points.x().size(); i++) {
            text.append(
                String.format(
                    Locale.ROOT, "%.0f %.3f%n", points.x().get(i), points.micros().get(i)));
          }
          text.append("\n\n");
        });
    return text.toString();
  }

  private static String script(String file, Map<String, Series> series, String axis) {
    StringBuilder text = new StringBuilder();
    text.append("# gnuplot -p FILE\n");
    text.append("set logscale xy\nset key outside\nset grid\n");
    text.append("set xlabel '").append(axis).append("'\nset ylabel 'time (us)'\n");
    List<String> lines = new ArrayList<>();
    for (String name : series.keySet()) {
      lines.add("'%s' index %d with linespoints title '%s'".formatted(file, lines.size(), name));
    }
    return text.append("plot ").append(String.join(", \\\n  ", lines)).append('\n').toString();
  }
}
