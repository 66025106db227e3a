export interface EmbeddedServer {
  readonly port: number;
  /** The address of the database that it begins with. */
  readonly url: string;
  readonly dataFolder: string;
  start(): Promise<void>;
  stop(): Promise<void>;
  end(): Promise<void>;
}
export declare function startEmbeddedServer(settings?: readonly string[]): Promise<EmbeddedServer>;
export declare function freePort(): Promise<number>;
