package dev.tutti.comm.internal.control;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.comm.CommAbortedException;
import dev.tutti.comm.internal.Deadline;
import dev.tutti.comm.internal.rendezvous.JobServer;
import dev.tutti.comm.internal.store.Dialer;
import dev.tutti.comm.internal.store.Hello;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class TcpControlTest extends ControlSuite {
  private final List<JobServer> servers = new ArrayList<>();
  private final List<Dialer.Dialed> connections = new ArrayList<>();

  @Override
  List<Control> open(int size) {
    return lines(server(size, -1), size);
  }

  @Override
  void kill(int rank) {
    connections.get(rank).link().close();
  }

  @AfterEach
  void closeServers() {
    closeLines();
    servers.forEach(JobServer::close);
  }

  @Test
  void theLossOfTheLauncherBreaksEveryGroupOfThisRank() throws Exception {
    JobServer server = server(1, -1);
    connections.clear();
    Control line = lines(server, 1).getFirst();
    Heard early = new Heard();
    line.subscribe("early", early);
    connections.getFirst().link().close();
    Heard.News news = early.next();
    assertThat(news.death()).isFalse();
    assertThat(news.rank()).isZero();
    assertThat(news.kind()).isEqualTo(CommAbortedException.class);
    assertThat(news.text()).contains("lost the job's launcher");
    Heard late = new Heard();
    line.subscribe("late", late);
    assertThat(late.next().text()).contains("lost the job's launcher");
    line.close();
  }

  @Test
  void theLossOfTheStoresHostIsThatRanksDeath() throws Exception {
    JobServer server = server(2, 0);
    connections.clear();
    Control line = lines(server, 2).get(1);
    Heard heard = new Heard();
    line.subscribe("g", heard);
    connections.get(1).link().close();
    Heard.News news = heard.next();
    assertThat(news.death()).isTrue();
    assertThat(news.rank()).isZero();
    assertThat(news.text()).contains("hosts the job's store");
    line.close();
  }

  private JobServer server(int size, int hostRank) {
    JobServer server =
        JobServer.bind(
            new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
            size,
            "suite",
            hostRank,
            Deadline.after(Duration.ofSeconds(5)));
    servers.add(server);
    return server;
  }

  private List<Control> lines(JobServer server, int size) {
    List<Control> lines = new ArrayList<>();
    for (int rank = 0; rank < size; rank++) {
      Hello hello = Hello.of(Hello.CONTROL, rank, size, "suite", "here");
      Dialer.Dialed dialed =
          Dialer.dial("127.0.0.1", server.port(), hello, Deadline.after(Duration.ofSeconds(5)));
      connections.add(dialed);
      lines.add(new TcpControl(dialed, rank, "127.0.0.1:" + server.port()));
    }
    return lines;
  }
}
