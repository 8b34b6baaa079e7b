import { textFiles } from '../../core/text-files.ts';
import { projectImageFiles } from '../../generate/image/project-image.ts';
import { kindFiles } from '../create/kind-files.ts';
import type { KindNames } from '../create/names.ts';
import { ownedResources } from '../create/owned-resources.ts';
import type { NewFile } from '../new-files.ts';
import { fillTemplate, type TemplateValues } from '../template.ts';
import type { InitArguments } from './arguments.ts';
import type { PackageSpecs } from './packages.ts';

const MODULE = 'src/operator.ts';

const templates = textFiles(new URL('./templates/', import.meta.url));

/** The files that depend on the template, and the words of the README about them. */
interface Sources {
  readonly file: string;
  readonly controller: string;
  readonly files: readonly NewFile[];
  readonly says: {
    readonly summary: string;
    readonly group: string;
    readonly sources: string;
    readonly sampleSays: string;
    readonly definitions: string;
  };
}

/** All files of a new project. Equal arguments give equal files. */
export function projectFiles(
  { name, template, kind }: InitArguments,
  packages: PackageSpecs,
): readonly NewFile[] {
  const form = template === 'composite' ? 'composite' : 'controller';
  const sources = kind === undefined ? builtIn(name) : ofKind(name, kind, form);
  const { file, controller, says } = sources;
  const values = { name, file, controller, ...packages, ...says };
  const filled = (path: string, from: string): NewFile => fromTemplate(path, from, values);
  return [
    filled('package.json', 'package.json'),
    filled('tsconfig.json', 'tsconfig.json'),
    filled(MODULE, 'operator'),
    ...sources.files,
    ...projectImageFiles([MODULE]),
    filled('README.md', 'readme'),
    filled('.gitignore', 'gitignore'),
    filled('.npmrc', 'npmrc'),
    filled('.github/workflows/ci.yml', 'ci.yml'),
  ];
}

function builtIn(name: string): Sources {
  return {
    file: 'expose',
    controller: 'exposeController',
    files: [
      fromTemplate('src/expose.ts', 'built-in', {}),
      fromTemplate('src/expose.test.ts', 'built-in-test', {}),
      fromTemplate('samples/expose.yaml', 'built-in-sample', {}),
    ],
    says: {
      summary: `The operator ${name} gives every Deployment with the label \`expose: 'yes'\` a Service.`,
      group: 'example.com',
      sources: 'the controller, and its test',
      sampleSays: 'a Deployment with the label',
      definitions: '',
    },
  };
}

function ofKind(name: string, names: KindNames, form: 'controller' | 'composite'): Sources {
  const { dashed, kind, group, version, controller } = names;
  const file = fileOf(names);
  const owns = form === 'composite' ? 'deployments.apps,services' : 'deployments.apps';
  const each = form === 'composite' ? 'a Deployment and a Service' : 'a Deployment';
  return {
    file,
    controller,
    files: kindFiles({
      ...{ names, form, file },
      isNamespaced: true,
      owns: ownedResources(owns),
      folder: 'src',
    }),
    says: {
      summary: `The operator ${name} runs ${each} for every object of kind ${kind} (${group}/${version}).`,
      group,
      sources: `the resource with its schema, the controller \`${dashed}\`, and its test`,
      sampleSays: `an object of kind ${kind}`,
      definitions: ', the CustomResourceDefinition',
    },
  };
}

/** `src/operator.ts` is the module. */
function fileOf({ dashed }: KindNames): string {
  return dashed === 'operator' ? 'operator-controller' : dashed;
}

function fromTemplate(path: string, from: string, values: TemplateValues): NewFile {
  return { path, text: fillTemplate(templates(`${from}.template`), values) };
}
