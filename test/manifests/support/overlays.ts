import { readdirSync } from 'node:fs';
import { CONFIG_RESTART, inRepository, type Tree, WEBSITE } from './trees.ts';

/** Every overlay that is committed. */
export const OVERLAYS: readonly { readonly overlay: string; readonly tree: Tree }[] = [
  CONFIG_RESTART,
  WEBSITE,
].flatMap((tree) =>
  readdirSync(inRepository(`${tree.folder}/overlays`)).map((name) => ({
    overlay: `${tree.folder}/overlays/${name}`,
    tree,
  })),
);
