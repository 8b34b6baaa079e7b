/** Every workflow and Dockerfile of the repository, and those that it writes for others, held against what is verified. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { projectImageFiles } from '../../operator/generate/image/project-image.ts';
import { readLock } from '../../proxy/kubectl-lock.ts';
import { trackedFiles } from './checkout.ts';
import { dockerfileRefusals, type Verified, workflowRefusals } from './pins.ts';

const WORKFLOW =
  /^\.github\/(?:workflows|actions)\/.*\.ya?ml$|\.github\/workflows\/|(?:^|\/)ci\.yml\.template$/;
const DOCKERFILE = /(?:^|\/)(?:[^/]*\.)?Dockerfile(?:\.(?!dockerignore$)[^/]+)?$/;
/** Inputs of tests. No release builds them. */
const FIXTURE = /(?:^|\/)fixtures\//;

export async function pinRefusals(
  root: string,
  own: ReadonlySet<string>,
): Promise<readonly string[]> {
  const verified = await readVerified(root);
  const problems = projectImageFiles().flatMap(({ path, text }) =>
    path === 'Dockerfile'
      ? dockerfileRefusals('Dockerfile of a new project', text, verified, own)
      : [],
  );
  for (const file of await trackedFiles(root)) {
    if (FIXTURE.test(file)) continue;
    const text = (): Promise<string> => readFile(join(root, file), 'utf8');
    if (WORKFLOW.test(file)) problems.push(...workflowRefusals(file, await text(), verified));
    if (DOCKERFILE.test(file)) {
      problems.push(...dockerfileRefusals(file, await text(), verified, own));
    }
  }
  return problems;
}

/** What has been compared with its origin: of kubectl, its own lock file says so. */
async function readVerified(root: string): Promise<Verified> {
  const verified = JSON.parse(
    await readFile(join(root, 'release/verified.json'), 'utf8'),
  ) as Verified;
  const { image, version, digest, sources } = await readLock();
  return {
    ...verified,
    images: { ...verified.images, [`${image}:${version}`]: { digest, sources } },
  };
}
