/** What every package has to say about itself before it is published. */
import { join } from 'node:path';
import type { Manifest, PublishedPackage } from '../packages.ts';

/** Nobody can report a problem, or see where a package comes from, without these. */
const REQUIRED = ['repository', 'homepage', 'bugs'] as const;

/**
 * @param forge - `OWNER/NAME` where the release runs. npm's provenance names it, and npm refuses a package
 *   whose `repository` is another one.
 */
export function manifestRefusals(
  packages: readonly PublishedPackage[],
  forge: string | undefined,
): readonly string[] {
  return packages.flatMap(({ folder, manifest }) => {
    const file = join(folder, 'package.json');
    const unknown = REQUIRED.filter((field) => !isKnown(manifest[field]));
    return [
      ...unknown.map((field) => `${file}: "${field}" is unknown`),
      ...otherRepository(manifest, forge).map((problem) => `${file}: ${problem}`),
    ];
  });
}

function isKnown(value: Manifest[(typeof REQUIRED)[number]]): boolean {
  const texts = typeof value === 'object' ? Object.values(value) : [value];
  return texts.some((text) => typeof text === 'string' && text.trim() !== '');
}

function otherRepository({ repository }: Manifest, forge: string | undefined): readonly string[] {
  const url = typeof repository === 'object' ? repository.url : repository;
  if (forge === undefined || !url) return [];
  const path = /(?:^github:|github\.com[/:])([^/]+\/[^/#]+?)(?:\.git)?(?:#.*)?$/.exec(url)?.[1];
  return path === forge ? [] : [`"repository" is ${url}, and the release runs in ${forge}`];
}
