/** A project of Go as kubebuilder's v4 layout has it, in `../go/`: before the plugin has seen it. */
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Kubebuilder } from './kubebuilder.ts';

const FOLDER = fileURLToPath(new URL('../go/', import.meta.url));

/** Its files. */
export const GO_PROJECT: ReadonlyMap<string, string> = new Map(
  readdirSync(FOLDER, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => `${entry.parentPath}/${entry.name}`.replaceAll('\\', '/').replace('//', '/'))
    .map((path) => [path.slice(FOLDER.length), readFileSync(path, 'utf8')] as const),
);

/** The project, with changes to its files by text; each must be there. */
export function goProject(
  ...changes: readonly (readonly [path: string, from: string | RegExp, to: string])[]
): Kubebuilder {
  const files = new Map(GO_PROJECT);
  for (const [path, from, to] of changes) {
    const text = files.get(path) ?? '';
    const changed = text.replace(from, to);
    if (changed === text) throw new Error(`${path} does not have ${from}`);
    files.set(path, changed);
  }
  return Kubebuilder.of(files);
}

/** The same with the controllers of each group in a folder of their own. */
export function multigroupProject(): Kubebuilder {
  const controller = 'internal/controller/cart_controller.go';
  const kubebuilder = goProject(['PROJECT', 'projectName:', 'multigroup: true\nprojectName:']);
  const text = kubebuilder.files.get(controller) ?? '';
  kubebuilder.files.delete(controller);
  kubebuilder.files.set('internal/controller/sales/cart_controller.go', text);
  return kubebuilder;
}

/** The elements of `--accept-paths`, as the plugin has written them. */
export function acceptedPaths({ files }: Pick<Kubebuilder, 'files'>): readonly string[] {
  const text = files.get('config/ambassador/filter.yaml') ?? '';
  return /--accept-paths=(.*?)["']?$/m.exec(text)?.[1]?.split(',') ?? [];
}

/** Whether the filter lets a path through in the namespace `shop-system`. */
export function isOpen(kubebuilder: Pick<Kubebuilder, 'files'>, path: string): boolean {
  return acceptedPaths(kubebuilder).some((pattern) =>
    new RegExp(pattern.replaceAll('$(POD_NAMESPACE)', 'shop-system')).test(path),
  );
}
