import { ConfigurationError } from 'chancery';
import {
  fillTemplate,
  isDns1035Label,
  type KindNames,
  kindFiles,
  kindNames,
  MAX_DNS_LABEL,
  type NewFile,
  ownedResources,
  packageSpecs,
  projectImageFiles,
  projectTemplate,
  textFiles,
  withController,
} from 'chancery/internal';
import type { AskedKind, ScaffoldedKind, TypescriptScaffold } from '../kubebuilder/typescript.ts';

const MODULE = 'src/operator.ts';

const templates = textFiles(new URL('./templates/', import.meta.url));

/** The files of `chancery init` and `chancery create` for a project of kubebuilder. */
export function typescriptScaffold(
  env: Readonly<Record<string, string | undefined>>,
): TypescriptScaffold {
  return {
    async project(name, { readme, workflow }) {
      const values = { name, ...(await packageSpecs(env.CHANCERY_PACKAGES)) };
      const filled = (path: string, text: string): NewFile => ({
        path,
        text: fillTemplate(text, values),
      });
      return byPath([
        filled('package.json', projectTemplate('package.json.template')),
        filled('tsconfig.json', projectTemplate('tsconfig.json.template')),
        filled(MODULE, templates('operator.template')),
        ...projectImageFiles([MODULE]),
        filled('.gitignore', projectTemplate('gitignore.template')),
        filled('.npmrc', projectTemplate('npmrc.template')),
        ...(readme ? [filled('README.md', templates('readme.template'))] : []),
        ...(workflow
          ? [filled('.github/workflows/ci.yml', projectTemplate('ci.yml.template'))]
          : []),
      ]);
    },
    kind: scaffoldedKind,
  };
}

function scaffoldedKind(asked: AskedKind): ScaffoldedKind {
  const { owns, isNamespaced, groupFolder } = asked;
  if (!isNamespaced && owns !== undefined && owns !== '') {
    throw new ConfigurationError(
      '--owns creates objects in the namespace of their owner, and --cluster-scoped gives the owner none: ' +
        'leave one of the two out',
    );
  }
  const names = namesOf(asked);
  const own = fileOf(asked, names);
  const folder = groupFolder === undefined ? 'src' : `src/${groupFolder}`;
  const files = kindFiles({
    ...{ names, isNamespaced, folder },
    owns: owns === undefined || owns === '' ? [] : ownedResources(owns),
    form: 'controller',
    file: own,
    sample: groupFolder === undefined ? own : names.dashed,
  });
  const controllerFile = `${folder}/${own}.ts`;
  return {
    files: byPath(files),
    plural: names.plural,
    controllerFile,
    listedIn: (module) =>
      listed(module, names.controller, `./${controllerFile.slice('src/'.length)}`),
  };
}

/**
 * The file name of a kind. In a folder of its group, a file has the name of the kind alone.
 * `src/operator.ts` is reserved for the module.
 */
function fileOf({ groupFolder }: AskedKind, { dashed, ofKind }: Names): string {
  if (groupFolder !== undefined) return ofKind;
  return dashed === 'operator' ? 'operator-controller' : dashed;
}

interface Names extends KindNames {
  /** The kind with dashes, without a group. If names need a group, `dashed` begins with the group. */
  readonly ofKind: string;
}

/**
 * The names of a kind. With a group, two kinds of the same name have different controllers, samples
 * and imports. The flag for the plural has a different name than in `chancery create`.
 */
function namesOf({ group, version, kind, plural, groupFolder }: AskedKind): Names {
  try {
    const names = kindNames({ group, version, kind, plural });
    const ofKind = names.dashed;
    if (groupFolder === undefined) return { ...names, ofKind };
    const words = groupFolder.replace(/^[0-9]/, 'g$&').split(/[^a-z0-9]+/); // a name begins with a letter
    const [first = '', ...more] = [...words, names.controller];
    const controller =
      first + more.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('');
    const dashed = [...words, ofKind].join('-');
    requireLabel(dashed);
    return { ...names, controller, dashed, ofKind };
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    throw new ConfigurationError(error.message.replaceAll('--plural', '--plural-name'), {
      cause: error,
    });
  }
}

function requireLabel(controller: string): void {
  if (isDns1035Label(controller)) return;
  throw new ConfigurationError(
    `the controller would have the name ${controller}, which is longer than ${MAX_DNS_LABEL}: choose a shorter --kind or --group`,
  );
}

function listed(module: string, name: string, file: string): string {
  const { text, problem } = withController(module, { name, file });
  if (problem === undefined) return text;
  throw new ConfigurationError(
    `${MODULE} cannot be changed safely, because ${problem}: make its default export a list, \`export default [ … ];\`, and ` +
      `remove what conflicts with \`import ${name} from '${file}';\``,
  );
}

function byPath(
  files: readonly { readonly path: string; readonly text: string }[],
): ReadonlyMap<string, string> {
  return new Map(files.map(({ path, text }) => [path, text]));
}
