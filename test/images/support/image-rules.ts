import { type Instruction, parseDockerfile, type Stage } from './dockerfile.ts';

/** What a rule has to say against a Dockerfile; nothing when it is kept. */
type Rule = (stages: readonly Stage[], last: Stage) => readonly string[];

const DIGEST = /@sha256:[0-9a-f]{64}$/;

const RULES: Readonly<Record<string, Rule>> = {
  'every base image is pinned by its digest': (stages) =>
    stages
      .filter(({ base }, at) => !isOwn(base, stages.slice(0, at)) && !DIGEST.test(base))
      .map(({ base }) => base),

  'nothing is downloaded without a checksum': (stages) =>
    all(stages, 'ADD')
      .filter(({ text }) => /https?:|git@/.test(text) && !/--checksum=sha256:/.test(text))
      .map(textOf),

  'the image has a user, a number that is not root': (_stages, last) => {
    const [user = 'none'] = of(last, 'USER').map(textOf).slice(-1);
    return /^[1-9]\d*:[1-9]\d*$/.test(user) ? [] : [user];
  },

  'entry point and command are JSON': (_stages, last) =>
    ['ENTRYPOINT', 'CMD', 'HEALTHCHECK'].flatMap((name) =>
      of(last, name)
        .map(textOf)
        .filter((text) => !isWords(text.replace(/^.*CMD /, ''))),
    ),

  'the image has an entry point': (_stages, last) =>
    of(last, 'ENTRYPOINT').length === 1 ? [] : ['none'],

  'nothing runs in the last stage, which has no shell': (_stages, last) =>
    of(last, 'RUN').map(textOf),

  'no secret is an argument or in the environment': (stages) =>
    [...all(stages, 'ARG'), ...all(stages, 'ENV')]
      .map(textOf)
      .filter((text) => /TOKEN|PASSWORD|SECRET/i.test(text)),
};

/** Rules for an image that has kubectl and nothing else. */
const AMBASSADOR_RULES: Readonly<Record<string, Rule>> = {
  'the image begins with nothing': (_stages, { base }) => (base === 'scratch' ? [] : [base]),
  'nothing runs in any stage, so that no architecture needs an emulator': (stages) =>
    all(stages, 'RUN').map(textOf),
  'one file is copied': (_stages, last) => {
    const copied = [...of(last, 'COPY'), ...of(last, 'ADD')].map(textOf);
    return copied.length === 1 ? [] : copied;
  },
};

/** The rules that a Dockerfile breaks: rule, and what breaks it. */
export function brokenRules(
  dockerfile: string,
  { ambassador }: { readonly ambassador: boolean },
): Readonly<Record<string, readonly string[]>> {
  const { stages } = parseDockerfile(dockerfile);
  const last = stages.at(-1);
  if (last === undefined) return { 'a Dockerfile has a stage': ['none'] };
  const rules = { ...RULES, ...(ambassador && AMBASSADOR_RULES) };
  return Object.fromEntries(
    Object.entries(rules)
      .map(([name, rule]): [string, readonly string[]] => [name, rule(stages, last)])
      .filter(([, problems]) => problems.length > 0),
  );
}

function isOwn(base: string, before: readonly Stage[]): boolean {
  return base === 'scratch' || before.some(({ name }) => name === base);
}

function all(stages: readonly Stage[], name: string): readonly Instruction[] {
  return stages.flatMap((stage) => of(stage, name));
}

function of({ instructions }: Stage, name: string): readonly Instruction[] {
  return instructions.filter((instruction) => instruction.name === name);
}

function textOf({ text }: Instruction): string {
  return text;
}

function isWords(text: string): boolean {
  try {
    const words: unknown = JSON.parse(text);
    return Array.isArray(words) && words.every((word) => typeof word === 'string');
  } catch {
    return false;
  }
}
