import { fileURLToPath } from 'node:url';
import { ConfigurationError } from './errors.ts';
import { VERSION } from './version.ts';

/** One installation of the toolkit. */
interface Copy {
  readonly version: string;
  /** URL of the folder with its code. It distinguishes two copies of the same version. */
  readonly root: string;
}

/** A symbol from the global registry, so that all copies in the process use the same symbol. */
const COPY: unique symbol = Symbol.for('chancery.copy');

/**
 * Registers `copy` as the only copy of the toolkit in this process. With two copies, `instanceof` and
 * `isNotFound` would silently be false for errors of the other copy. The same copy may register again,
 * because test runners load modules more than once.
 *
 * @throws ConfigurationError `CONFIG` when another copy is already registered.
 */
export function registerCopy(copy: Copy, registry: object = globalThis): void {
  const { [COPY]: first } = registry as { readonly [COPY]?: Copy };
  if (first === undefined) {
    Object.defineProperty(registry, COPY, { value: copy });
    return;
  }
  if (first.root === copy.root) return;
  throw new ConfigurationError(
    `there are two copies of chancery in this process, ${nameOf(first)} and ${nameOf(copy)}: neither knows ` +
      'the classes and errors of the other. "npm ls chancery" shows which package brings which copy, and ' +
      '"npm dedupe" merges them; import chancery by its name, and keep it out of bundles',
    { context: { first: nameOf(first), second: nameOf(copy) } },
  );
}

function nameOf({ version, root }: Copy): string {
  return `${version} in ${root.startsWith('file:') ? fileURLToPath(root) : root}`;
}

// In code that was bundled as CommonJS, `import.meta.url` is undefined.
const root = URL.parse('../../', import.meta.url)?.href ?? 'a bundle';
registerCopy({ version: VERSION, root });
