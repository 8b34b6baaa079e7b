import { basename, resolve } from 'node:path';
import { ConfigurationError } from '../../core/errors.ts';
import { isDnsLabel, MAX_DNS_LABEL } from '../../model/dns-name.ts';
import type { GivenTo } from '../command-table.ts';
import { type KindNames, kindFrom, kindNames, kindOptions } from '../create/names.ts';
import type { INIT } from './table.ts';

type Values = GivenTo<typeof INIT>['values'];

export type Template = NonNullable<Values['template']>;

/** A project of kubebuilder, or files with CustomResourceDefinitions. */
export type ExistingSource =
  | { readonly project: string; readonly definitions?: undefined }
  | { readonly definitions: readonly string[]; readonly project?: undefined };

/** The parsed command line of `chancery init`. */
export interface InitArguments {
  /** The folder on the command line. */
  readonly folder: string;
  /** The name of the package and of the operator: a DNS label. */
  readonly name: string;
  readonly template: Template;
  /** The kind of the custom resource. Undefined for the template `built-in`. */
  readonly kind: KindNames | undefined;
  /** True when objects of the kind are in namespaces. */
  readonly isNamespaced: boolean;
  /** The source of kinds that already exist. If it is set, `template` and `kind` are ignored. */
  readonly from: ExistingSource | undefined;
  readonly force: boolean;
}

/** Options about the custom resource, with their values. */
const ofKind = ({ group, version, kind, plural, clusterScoped }: Values) => ({
  group,
  version,
  kind,
  plural,
  'cluster-scoped': clusterScoped || undefined,
});

/**
 * Parses the command line of `chancery init`.
 *
 * @throws ConfigurationError `CONFIG` in one line with the expected and the actual value.
 */
export function initArguments({ values, words }: GivenTo<typeof INIT>): InitArguments {
  const [folder, ...others] = words;
  if (folder === undefined || folder === '') {
    throw new ConfigurationError('expected the NAME of the project, such as demo; got none');
  }
  if (others.length > 0) {
    const given = words.map((each) => JSON.stringify(each)).join(', ');
    throw new ConfigurationError(`expected one NAME; got ${given}`);
  }
  const name = nameOf(folder);
  const { force, template = 'custom-resource' } = values;
  const from = existingSource(values);
  if (from !== undefined) {
    return { folder, name, template, kind: undefined, isNamespaced: true, from, force };
  }
  const [refused] = givenOf(ofKind(values));
  if (template === 'built-in' && refused !== undefined) {
    const templates =
      refused === 'cluster-scoped' ? 'custom-resource' : 'custom-resource and composite';
    throw new ConfigurationError(
      `--${refused} is for ${templates}: the template built-in defines no resource`,
    );
  }
  const isNamespaced = !values.clusterScoped;
  if (template === 'composite' && !isNamespaced) {
    throw new ConfigurationError(
      'the template composite creates objects in the namespace of their owner, and --cluster-scoped gives the owner ' +
        'none; leave one of the two out',
    );
  }
  return {
    ...{ folder, name, template, isNamespaced },
    kind: template === 'built-in' ? undefined : kindOf(name, values),
    from,
    force,
  };
}

/**
 * The command line that writes the same project, without `chancery`. The source of existing kinds
 * is a path on the user's machine. So the command line contains `-`, which stands for standard
 * input, instead of the path.
 */
export function initCommand({
  name,
  template,
  kind,
  isNamespaced,
  from,
}: InitArguments): readonly string[] {
  if (from !== undefined) return ['init', name, '--from-crd', '-'];
  return [
    ...['init', name, '--template', template],
    ...(kind === undefined ? [] : kindOptions(kind)),
    ...(isNamespaced ? [] : ['--cluster-scoped']),
  ];
}

/**
 * The source of existing kinds. Undefined when there is none.
 *
 * @throws ConfigurationError `CONFIG` when the kinds come from two sources.
 */
function existingSource(values: Values): ExistingSource | undefined {
  const { from, fromCrd: definitions, template } = values;
  if (from === undefined && definitions.length === 0) return undefined;
  const option = from === undefined ? '--from-crd' : '--from';
  const given = [
    ...(from !== undefined && definitions.length > 0 ? ['from-crd'] : []),
    ...givenOf({ template, ...ofKind(values) }),
  ];
  if (given.length > 0) {
    throw new ConfigurationError(
      `${option} names the kinds; leave out ${given.map((each) => `--${each}`).join(', ')}`,
    );
  }
  return from === undefined ? { definitions } : { project: from };
}

/** The names of the options on the command line. */
function givenOf(options: Readonly<Record<string, unknown>>): readonly string[] {
  return Object.keys(options).filter((name) => options[name] !== undefined);
}

/**
 * The name of the folder, which becomes the name of the npm package, the image and the Deployment.
 */
function nameOf(folder: string): string {
  const name = basename(resolve(folder));
  if (isDnsLabel(name)) return name;
  throw new ConfigurationError(
    `NAME must be at most ${MAX_DNS_LABEL} of a-z, 0-9 and "-", with a letter or digit at both ends, ` +
      `because the Deployment has this name, not ${JSON.stringify(name)}`,
  );
}

function kindOf(
  name: string,
  { group = 'example.com', version = 'v1', kind, plural }: Values,
): KindNames {
  if (kind === undefined && !/^[a-z]/.test(name)) {
    throw new ConfigurationError(
      `${name} begins with a digit, and a kind cannot: name the kind with --kind, such as --kind Demo`,
    );
  }
  return kindNames({ group, version, kind: kind ?? kindFrom(name), plural });
}
