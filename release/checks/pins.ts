/**
 * Actions and base images that could be others tomorrow: each has to be named by a digest, and the digest has to be
 * one that somebody has compared with its origin. `release/verified.json` and `proxy/kubectl.lock.json` have those.
 */
import { parseDocument, visit } from 'yaml';
import { parseDockerfile } from '../../test/images/support/dockerfile.ts';

export interface VerifiedAction {
  readonly tag: string;
  readonly commit: string;
  /** Where the commit was compared with the tag. */
  readonly sources: readonly string[];
}

export interface VerifiedImage {
  readonly digest: string;
  readonly sources: readonly string[];
}

export interface Verified {
  /** By `owner/name`: every commit that may be used. */
  readonly actions: Readonly<Record<string, readonly VerifiedAction[] | undefined>>;
  /** By name and tag. */
  readonly images: Readonly<Record<string, VerifiedImage | undefined>>;
}

/** What `uses:` names in a workflow, for each step and each reusable workflow. */
export function workflowRefusals(
  file: string,
  text: string,
  verified: Verified,
): readonly string[] {
  return valuesOf(text, 'uses')
    .filter((uses) => !uses.startsWith('./'))
    .flatMap((uses) => {
      const problem = uses.startsWith('docker://')
        ? imageProblem(uses.slice('docker://'.length), verified)
        : actionProblem(uses, verified);
      return problem === undefined ? [] : [`${file}: ${uses} ${problem}`];
    })
    .concat(
      [...valuesOf(text, 'image'), ...valuesOf(text, 'container')].flatMap((image) => {
        const problem = imageProblem(image, verified);
        return problem === undefined ? [] : [`${file}: ${image} ${problem}`];
      }),
    );
}

/** @param own - names of images that the release itself builds. */
export function dockerfileRefusals(
  file: string,
  text: string,
  verified: Verified,
  own: ReadonlySet<string>,
): readonly string[] {
  const { stages } = parseDockerfile(text);
  return stages.flatMap(({ base }, at) => {
    const isStage = stages.slice(0, at).some(({ name }) => name === base);
    if (base === 'scratch' || isStage || own.has(base)) return [];
    const problem = imageProblem(base, verified);
    return problem === undefined ? [] : [`${file}: ${base} ${problem}`];
  });
}

function actionProblem(uses: string, { actions }: Verified): string | undefined {
  const [, name = '', version = ''] = /^([^/@]+\/[^/@]+)(?:\/[^@]*)?@(.+)$/.exec(uses) ?? [];
  if (!/^[0-9a-f]{40}$/.test(version)) return 'is not pinned by a commit';
  const known = actions[name]?.find(({ commit }) => commit === version);
  return known !== undefined && known.sources.length > 0
    ? undefined
    : 'is pinned by a commit that nobody has verified';
}

function imageProblem(image: string, { images }: Verified): string | undefined {
  const [name = '', digest] = image.split('@');
  if (digest === undefined) return 'is not pinned by a digest';
  const known = images[name];
  return known?.digest === digest && known.sources.length > 0
    ? undefined
    : 'is pinned by a digest that nobody has verified';
}

/** Every text that a document has under a key of that name, at any depth. */
function valuesOf(text: string, key: string): readonly string[] {
  const found: string[] = [];
  visit(parseDocument(text), {
    Pair(_, pair) {
      const { key: name, value } = pair as { key: { value?: unknown }; value: { value?: unknown } };
      if (name.value === key && typeof value?.value === 'string') found.push(value.value);
    },
  });
  return found;
}
