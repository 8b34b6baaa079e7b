import { basename, resolve } from 'node:path';
import { nearMatches } from '../../client/near-match.ts';
import { ConfigurationError } from '../../core/errors.ts';
import { isDnsLabel, MAX_DNS_LABEL } from '../../model/dns-name.ts';
import { type KindNames, kindFrom, kindNames } from '../create/names.ts';
import { parseFlags } from '../flags.ts';

const TEMPLATES = ['custom-resource', 'built-in', 'composite'] as const;
export type Template = (typeof TEMPLATES)[number];

/** A project of kubebuilder, or files with CustomResourceDefinitions. */
export type ExistingSource =
  | { readonly project: string; readonly definitions?: undefined }
  | { readonly definitions: readonly string[]; readonly project?: undefined };

/** The command line of `chancery init`. */
export interface InitArguments {
  /** As given. */
  readonly folder: string;
  /** The name of package and operator: a DNS label. */
  readonly name: string;
  readonly template: Template;
  /** The kind of the custom resource; undefined for the template `built-in`. */
  readonly kind: KindNames | undefined;
  /** Whether objects of the kind are in namespaces. */
  readonly isNamespaced: boolean;
  /** Where the kinds come from when they exist already; `template` and `kind` do not count then. */
  readonly from: ExistingSource | undefined;
  readonly force: boolean;
}

const OPTIONS = {
  'cluster-scoped': { type: 'boolean' },
  force: { type: 'boolean' },
  from: { type: 'string' },
  'from-crd': { type: 'string', multiple: true },
  group: { type: 'string' },
  kind: { type: 'string' },
  plural: { type: 'string' },
  template: { type: 'string' },
  version: { type: 'string' },
} as const;

/** Options about the custom resource. */
const OF_KIND = ['group', 'version', 'kind', 'plural'] as const;

/** These, and the flag about its scope. */
const ABOUT_KIND = [...OF_KIND, 'cluster-scoped'] as const;

/** @throws ConfigurationError `CONFIG` in one line that says what was expected and what was given. */
export function parseInitArguments(args: readonly string[]): InitArguments {
  const { values, positionals } = parseFlags(args, OPTIONS);
  const [folder, ...others] = positionals;
  if (folder === undefined || folder === '') {
    throw new ConfigurationError('expected the NAME of the project, such as demo; got none');
  }
  if (others.length > 0) {
    const given = positionals.map((each) => JSON.stringify(each)).join(', ');
    throw new ConfigurationError(`expected one NAME; got ${given}`);
  }
  const name = nameOf(folder);
  const force = values.force === true;
  const from = existingSource(values);
  if (from !== undefined) {
    const template = 'custom-resource';
    return { folder, name, template, kind: undefined, isNamespaced: true, from, force };
  }
  const template = templateOf(values.template);
  const refused = ABOUT_KIND.find((option) => values[option] !== undefined);
  if (template === 'built-in' && refused !== undefined) {
    const templates =
      refused === 'cluster-scoped' ? 'custom-resource' : 'custom-resource and composite';
    throw new ConfigurationError(
      `--${refused} is for ${templates}: the template built-in defines no resource`,
    );
  }
  const isNamespaced = values['cluster-scoped'] !== true;
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

/** @throws ConfigurationError `CONFIG` when the kinds come from two places. */
function existingSource({
  from,
  'from-crd': definitions,
  ...others
}: Readonly<Record<string, unknown>> & {
  readonly from?: string | undefined;
  readonly 'from-crd'?: readonly string[] | undefined;
}): ExistingSource | undefined {
  if (from === undefined && definitions === undefined) return undefined;
  const option = from === undefined ? '--from-crd' : '--from';
  const given = [
    ...(from !== undefined && definitions !== undefined ? ['from-crd'] : []),
    ...['template', ...ABOUT_KIND].filter((each) => others[each] !== undefined),
  ];
  if (given.length > 0) {
    throw new ConfigurationError(
      `${option} names the kinds; leave out ${given.map((each) => `--${each}`).join(', ')}`,
    );
  }
  return from === undefined ? { definitions: definitions ?? [] } : { project: from };
}

/** The name of the folder, which `npm`, the image and the Deployment take as their name. */
function nameOf(folder: string): string {
  const name = basename(resolve(folder));
  if (isDnsLabel(name)) return name;
  throw new ConfigurationError(
    `NAME must be at most ${MAX_DNS_LABEL} of a-z, 0-9 and "-", with a letter or digit at both ends, ` +
      `because the Deployment has this name, not ${JSON.stringify(name)}`,
  );
}

function templateOf(text: string = 'custom-resource'): Template {
  const found = TEMPLATES.find((template) => template === text);
  if (found !== undefined) return found;
  const near = nearMatches(text, TEMPLATES);
  const hint = near.length > 0 ? `did you mean ${near.join(' or ')}?` : 'there is no other';
  throw new ConfigurationError(
    `--template must be custom-resource, built-in or composite, not ${JSON.stringify(text)}; ${hint}`,
  );
}

function kindOf(
  name: string,
  values: { readonly [K in (typeof OF_KIND)[number]]?: string | undefined },
): KindNames {
  const { group = 'example.com', version = 'v1', kind, plural } = values;
  if (kind === undefined && !/^[a-z]/.test(name)) {
    throw new ConfigurationError(
      `${name} begins with a digit, and a kind cannot: name the kind with --kind, such as --kind Demo`,
    );
  }
  return kindNames({ group, version, kind: kind ?? kindFrom(name), plural });
}
