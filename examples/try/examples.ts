/** The examples that can be tried, with what each needs beside its files. */

export interface Example {
  /** Its sources watch every namespace. Default false: their own. */
  readonly watchesAll?: boolean;
  /** It installs its definitions itself: `CHANCERY_INSTALL_CRDS`. Default false: they are there before. */
  readonly installsCrds?: boolean;
  /** What its module is given after `--`. Default: nothing. */
  readonly args?: readonly string[];
  /** It is a folder `hooks` for `chancery hooks`, and no module. Default false. */
  readonly isHooks?: boolean;
  /**
   * It is functions in `functions/` for `chancery metacontroller`, and no module; the rights are those of the
   * controllers in `controllers/`. Default false.
   */
  readonly isMetacontroller?: boolean;
  /** A module of its folder that runs beside it, and is given the URL of the API server. */
  readonly beside?: string;
}

/** By their folders. */
export const EXAMPLES: Readonly<Record<string, Example>> = {
  foo: {},
  blogpost: {},
  expose: {},
  tdset: {},
  tunnel: {},
  'node-reboot': { watchesAll: true, beside: 'simulator.ts' },
  prometheus: {},
  chaos: {},
  database: {},
  mysql: { installsCrds: true },
  reloader: {},
  hooks: { isHooks: true, watchesAll: true },
  metacontroller: { isMetacontroller: true, installsCrds: true, beside: 'cat-set-server.ts' },
};

/** Where the folder of an example is. */
export function folderOf(name: string): URL {
  return new URL(`../${name}/`, import.meta.url);
}
