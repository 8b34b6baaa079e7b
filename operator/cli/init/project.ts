import { textFiles } from '../../core/text/text-files.ts';
import { projectImageFiles } from '../../generate/image/project-image.ts';
import { kindFiles, type NewKind } from '../create/kind-files.ts';
import { type KindNames, PROTECTED_GROUPS } from '../create/names.ts';
import { ownedResources } from '../create/owned-resources.ts';
import type { NewFile } from '../files/new-files.ts';
import { fillTemplate, type TemplateValues } from '../files/template.ts';
import type { InitArguments } from './arguments.ts';
import { type ExistingFiles, existingKindFiles } from './existing/existing-files.ts';
import type { ExistingKind } from './existing/existing-kind.ts';
import { withFiles } from './existing/existing-names.ts';
import type { PackageSpecs } from './packages.ts';

const MODULE = 'src/operator.ts';

const templates = textFiles(new URL('./templates/', import.meta.url));

/** The template of a file of the project. */
export function projectTemplate(path: string): string {
  return templates(path);
}

/** One controller of the project. */
interface Part {
  /** The common prefix of the names of the kind's files. */
  readonly file: string;
  readonly controller: string;
  /** The sentence about the files of the controller in the README. */
  readonly sources: string;
  readonly sampleSays: string;
}

/** The files that depend on the template, and the sentences about them in the README. */
interface Sources {
  readonly parts: readonly Part[];
  readonly files: readonly NewFile[];
  readonly says: {
    readonly summary: string;
    readonly group: string;
    readonly definitions: string;
  };
}

/** All files of a new project. Equal arguments give equal files. */
export function projectFiles(
  {
    name,
    template,
    kind,
    isNamespaced,
  }: Pick<InitArguments, 'name' | 'template' | 'kind' | 'isNamespaced'>,
  packages: PackageSpecs,
): readonly NewFile[] {
  const form = template === 'composite' ? 'composite' : 'controller';
  const sources = kind === undefined ? builtIn(name) : ofKind(name, kind, { form, isNamespaced });
  return filesOf(name, sources, packages);
}

/**
 * All files of a new project with a controller for each existing kind, and instructions for its
 * author.
 */
export function existingProjectFiles(
  name: string,
  existing: readonly ExistingKind[],
  packages: PackageSpecs,
): ExistingFiles {
  const kinds = withFiles(existing);
  const written = kinds.map(existingKindFiles);
  const listed = kinds.map(
    ({ names: { kind, group, version } }) => `${kind} (${group}/${version})`,
  );
  const parts = kinds.map(({ names, definition, file }) => ({
    file,
    controller: names.controller,
    sources:
      definition === undefined
        ? `the resource with a schema to complete, the controller \`${names.dashed}\`, and its test`
        : `the resource, the controller \`${names.dashed}\`, and its test; \`src/${file}-definition.ts\` has the definition`,
    sampleSays: `an object of kind ${names.kind}`,
  }));
  const group = kinds.map(({ names }) => names.group).find((each) => !PROTECTED_GROUPS.test(each));
  const sources: Sources = {
    parts,
    files: written.flatMap(({ files }) => files),
    says: {
      summary: `The operator ${name} has controllers for kinds that exist already: ${listed.join(', ')}.`,
      group: group ?? 'example.com',
      definitions: ', the CustomResourceDefinitions',
    },
  };
  return {
    files: filesOf(name, sources, packages),
    notes: written.flatMap(({ notes }) => notes),
  };
}

function filesOf(
  name: string,
  { parts, files, says }: Sources,
  packages: PackageSpecs,
): readonly NewFile[] {
  const lines = (line: (part: Part) => string): string => parts.map(line).join('\n');
  const values = {
    name,
    ...says,
    imports: lines(({ controller, file }) => `import ${controller} from './${file}.ts';`),
    controllers: lines(({ controller }) => `${controller},`),
    rows: lines(
      ({ file, sources, sampleSays }) =>
        `| \`src/${file}.ts\`, \`src/${file}.test.ts\` | ${sources} |\n` +
        `| \`samples/${file}.yaml\` | ${sampleSays} |`,
    ),
  };
  const filled = (path: string, from: string): NewFile => fromTemplate(path, from, values);
  return [
    ...commonFiles(name, packages),
    filled(MODULE, 'operator'),
    ...files,
    filled('README.md', 'readme'),
  ];
}

/** The files of a project that do not depend on its kinds. */
export function commonFiles(name: string, packages: PackageSpecs): readonly NewFile[] {
  const filled = (path: string, from: string): NewFile =>
    fromTemplate(path, from, { name, ...packages });
  return [
    filled('package.json', 'package.json'),
    filled('tsconfig.json', 'tsconfig.json'),
    ...projectImageFiles([MODULE]),
    filled('AGENTS.md', 'agents'),
    filled('.gitignore', 'gitignore'),
    filled('.npmrc', 'npmrc'),
    filled('.devcontainer/devcontainer.json', 'devcontainer.json'),
    filled('.github/workflows/ci.yml', 'ci.yml'),
  ];
}

function builtIn(name: string): Sources {
  return {
    parts: [
      {
        file: 'expose',
        controller: 'exposeController',
        sources: 'the controller, and its test',
        sampleSays: 'a Deployment with the label',
      },
    ],
    files: [
      fromTemplate('src/expose.ts', 'built-in', {}),
      fromTemplate('src/expose.test.ts', 'built-in-test', {}),
      fromTemplate('samples/expose.yaml', 'built-in-sample', {}),
    ],
    says: {
      summary: `The operator ${name} gives every Deployment with the label \`expose: 'yes'\` a Service.`,
      group: 'example.com',
      definitions: '',
    },
  };
}

/** The children that a controller creates for an object. None for a cluster-scoped object. */
function childrenOf({ form, isNamespaced }: Pick<NewKind, 'form' | 'isNamespaced'>): {
  readonly owns: NewKind['owns'];
  readonly does: string;
} {
  if (!isNamespaced) return { owns: [], does: 'keeps the status of every object' };
  if (form === 'controller') {
    return { owns: ownedResources('deployments.apps'), does: 'runs a Deployment for every object' };
  }
  return {
    owns: ownedResources('deployments.apps,services'),
    does: 'runs a Deployment and a Service for every object',
  };
}

function ofKind(
  name: string,
  names: KindNames,
  how: Pick<NewKind, 'form' | 'isNamespaced'>,
): Sources {
  const { dashed, kind, group, version, controller } = names;
  const file = fileOf(names);
  const { owns, does } = childrenOf(how);
  return {
    parts: [
      {
        file,
        controller,
        sources: `the resource with its schema, the controller \`${dashed}\`, and its test`,
        sampleSays: `an object of kind ${kind}`,
      },
    ],
    files: kindFiles({ ...how, names, file, owns, folder: 'src' }),
    says: {
      summary: `The operator ${name} ${does} of kind ${kind} (${group}/${version}).`,
      group,
      definitions: ', the CustomResourceDefinition',
    },
  };
}

/** The file name of a kind. `src/operator.ts` is reserved for the module. */
function fileOf({ dashed }: KindNames): string {
  return dashed === 'operator' ? 'operator-controller' : dashed;
}

function fromTemplate(path: string, from: string, values: TemplateValues): NewFile {
  return { path, text: fillTemplate(templates(`${from}.template`), values) };
}
