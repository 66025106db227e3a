import type { JsonPath } from "./json.ts";

interface PathNode {
  isEnd: boolean;
  readonly below: Map<string | number, PathNode>;
}

const newNode = (): PathNode => ({ isEnd: false, below: new Map() });

/** Paths as a tree, so that a lookup takes the length of its path, however many there are. */
export class PathSet {
  private readonly root = newNode();

  constructor(paths: Iterable<JsonPath>) {
    for (const path of paths) {
      let node = this.root;
      for (const key of path) {
        let next = node.below.get(key);
        if (next === undefined) {
          next = newNode();
          node.below.set(key, next);
        }
        node = next;
      }
      node.isEnd = true;
    }
  }

  /** Whether one of the paths leads to a place or to something that contains it. */
  hasAtOrAbove(path: JsonPath): boolean {
    let node: PathNode | undefined = this.root;
    for (const key of path) {
      if (node.isEnd) return true;
      node = node.below.get(key);
      if (node === undefined) return false;
    }
    return node.isEnd;
  }

  /** Whether one of the paths leads to a place or to something in it. */
  hasAtOrBelow(path: JsonPath): boolean {
    let node: PathNode | undefined = this.root;
    for (const key of path) {
      node = node.below.get(key);
      if (node === undefined) return false;
    }
    return node.isEnd || node.below.size > 0;
  }
}
