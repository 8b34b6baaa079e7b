import type { Controller } from './controller.ts';
import type { Source } from './source.ts';

/** Every source that a controller declares, in the order of its declaration; one may come twice. */
export function sourcesOf({ for: root, owns, watches, reads }: Controller): readonly Source[] {
  return [root, ...[...owns, ...watches].map(({ source }) => source), ...reads];
}
