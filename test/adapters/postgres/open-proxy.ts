import { connect, createServer, type Socket } from "node:net";
import { onTestFinished } from "vitest";

/** What a {@link Proxy} loses, and how. */
interface Loss {
  /** A part of the statement. @default any */
  readonly text?: string;
  /** Whether the statement is done, and its answer is lost. @default false */
  readonly isAnswer?: boolean;
  /** Whether its connections stay open and are never heard of again, instead of being reset. @default false */
  readonly isSilent?: boolean;
}

/** A connection through a {@link Proxy}. */
interface Link {
  readonly sockets: readonly [client: Socket, upstream: Socket];
  /** Whatever either side sends is dropped, also the end of it. */
  isSilent: boolean;
}

/** A way to a server that can lose what is sent through it. */
export interface Proxy {
  /** The same address, through the proxy. */
  through(url: string): string;
  /** Loses the next statement, or its answer, and all connections with it. The next connections work. */
  loseNext(loss: Loss): void;
  /** Drops all that is sent, also by new connections, until {@link Proxy.speak}. */
  silence(): void;
  /** New connections work again. */
  speak(): void;
  /** Resolves when somebody connects. */
  nextConnection(): Promise<void>;
}

/** Opens a proxy in front of the server at a port, until the test is over. */
export async function openProxy(serverPort: number): Promise<Proxy> {
  const links = new Set<Link>();
  let isSilent = false;
  let onConnection = () => {};
  let loss: Loss | undefined;
  let answering: Link | undefined;
  const lose = (how: Loss) => {
    [loss, answering] = [undefined, undefined];
    for (const link of links) {
      if (how.isSilent) link.isSilent = true;
      else for (const socket of link.sockets) socket.resetAndDestroy();
    }
  };
  /** Passes on what one side of a connection has sent, or loses it. */
  const pass = (link: Link, { data, isStatement, to }: { data: Buffer; isStatement: boolean; to: Socket }) => {
    if (link.isSilent) return;
    if (loss !== undefined && isStatement && data.includes(loss.text ?? "")) {
      if (!loss.isAnswer) return lose(loss);
      answering = link;
    }
    if (loss !== undefined && !isStatement && answering === link) return lose(loss);
    to.write(data);
  };
  const proxy = createServer((client) => {
    const upstream = connect(serverPort, "127.0.0.1");
    const link: Link = { sockets: [client, upstream], isSilent };
    links.add(link);
    for (const [socket, to] of [link.sockets, link.sockets.toReversed() as [Socket, Socket]]) {
      socket.on("error", () => {});
      socket.on("close", () => {
        if (!link.isSilent) to.destroy();
      });
      socket.on("data", (data) => pass(link, { data, isStatement: socket === client, to }));
    }
    onConnection();
  });
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    for (const { sockets } of links) for (const socket of sockets) socket.destroy();
    proxy.close();
  });
  const address = proxy.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  return {
    through: (url) => url.replace(/:\d+\//, `:${port}/`),
    loseNext(next) {
      [loss, answering] = [next, undefined];
    },
    silence() {
      isSilent = true;
      for (const link of links) link.isSilent = true;
    },
    speak() {
      isSilent = false;
    },
    nextConnection: () =>
      new Promise((resolve) => {
        onConnection = resolve;
      }),
  };
}
