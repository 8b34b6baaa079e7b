import type { BuiltInField } from '../../../testing/src/apiserver/built-in-types/built-in-types.ts';
import { BUILT_IN_RESOURCES } from '../../../testing/src/apiserver/registry/built-in-resources.ts';
import { entryFile } from './entry-file.ts';
import { HEADER } from './header.ts';
import { Names } from './names.ts';
import { requiredFields } from './required-fields.ts';
import { resourceFile } from './resource-file.ts';
import type { TypeData } from './type-data.ts';
import { valuesOf } from './values.ts';
import { writtenTypes } from './written-types.ts';

const LINE_WIDTH = 100;

/** The files of `operator/model/kubernetes/` that are generated, by their names. */
export function typeFiles(data: TypeData): ReadonlyMap<string, string> {
  const written = writtenTypes(data, kindsToWrite(data));
  const required = requiredFields(data);
  const files = new Map<string, TypeFile>();
  for (const name of [...reachable(data)].sort()) {
    const file = Names.file(name);
    const already = files.get(file) ?? new TypeFile(file, data, written, required);
    files.set(file, already);
    already.add(name);
  }
  const texts = [...files].map(([name, file]) => [name, file.text()] as const);
  return new Map([...texts, ['resources.ts', `${HEADER}${resourceFile(data)}`]]);
}

/** `operator/kubernetes.ts`, the entry that exports what these files have. */
export function kubernetesEntry(files: ReadonlyMap<string, string>): string {
  return entryFile(files, HEADER);
}

/** Kinds with a URL of their own, and those that a subresource takes. */
function kindsToWrite(data: TypeData): readonly string[] {
  const kinds = BUILT_IN_RESOURCES.flatMap((resource) => [resource, ...resource.subresources]);
  const names = kinds.map(({ group, version, kind }) => {
    return data.kinds[`${group === '' ? version : `${group}/${version}`}/${kind}`];
  });
  return [...new Set(names)].filter(
    (name) => name !== undefined && 'metadata' in (data.types[name]?.fields ?? {}),
  ) as string[];
}

function reachable(data: TypeData): ReadonlySet<string> {
  const found = new Set<string>();
  const queue = [...kindsToWrite(data)];
  for (let name = queue.pop(); name !== undefined; name = queue.pop()) {
    if (found.has(name) || Names.own(name) !== undefined) continue;
    found.add(name);
    for (const { type } of Object.values(data.types[name]?.fields ?? {})) {
      const referred = Names.referred(type);
      if (referred !== undefined) queue.push(referred);
    }
  }
  return found;
}

class TypeFile {
  readonly #file: string;
  readonly #data: TypeData;
  readonly #written: ReadonlySet<string>;
  readonly #required: ReadonlySet<string>;
  readonly #kinds: ReadonlyMap<string, string>;
  readonly #imports = new Map<string, Set<string>>();
  readonly #blocks: string[] = [];

  constructor(
    file: string,
    data: TypeData,
    written: ReadonlySet<string>,
    required: ReadonlySet<string>,
  ) {
    this.#file = file;
    this.#data = data;
    this.#written = written;
    this.#required = required;
    this.#kinds = new Map(Object.entries(data.kinds).map(([kind, name]) => [name, kind]));
  }

  add(name: string): void {
    const kind = this.#kinds.get(name);
    const fields = Object.entries(this.#data.types[name]?.fields ?? {})
      .filter(
        ([field]) => kind === undefined || !['apiVersion', 'kind', 'metadata'].includes(field),
      )
      .map(([field, schema]) => this.#field(name, field, schema));
    if (kind !== undefined) this.#use('../object.ts', 'KubernetesObject');
    const base = kind === undefined ? '' : ' extends KubernetesObject';
    const about =
      kind === undefined
        ? `The value of \`${this.#placeOf(name)}\``
        : `\`${kind.slice(0, kind.lastIndexOf('/'))}\``;
    const body = fields.length === 0 ? '{}' : `{\n${fields.join('')}}`;
    this.#blocks.push(
      fields.length > 0 || kind !== undefined
        ? `/** ${about}. */\nexport interface ${Names.short(name)}${base} ${body}\n`
        : `/** ${about}. */\nexport type ${Names.short(name)} = Readonly<Record<string, never>>;\n`,
    );
  }

  /** The first field that has such a value. */
  #placeOf(name: string): string {
    for (const [owner, { fields = {} }] of Object.entries(this.#data.types)) {
      const field = Object.keys(fields).find(
        (each) => Names.referred(fields[each]?.type ?? '') === name,
      );
      if (field !== undefined && owner !== name) return `${Names.short(owner)}.${field}`;
    }
    return Names.file(name).replace('.ts', '').replace('-', '/');
  }

  text(): string {
    const imports = [...this.#imports]
      .sort(([a], [b]) => importOrder(a) - importOrder(b) || (a < b ? -1 : 1))
      .map(([from, names]) => importLine(from, [...names].sort()));
    return `${HEADER}\n${imports.join('')}${imports.length > 0 ? '\n' : ''}${this.#blocks.join('\n')}`;
  }

  #field(owner: string, field: string, schema: BuiltInField): string {
    const name = /^[A-Za-z_$][\w$]*$/.test(field) ? field : `'${field}'`;
    const mark = this.#required.has(`${owner}.${field}`) ? '' : '?';
    const values = valuesOf(owner, field, schema);
    const start = `  readonly ${name}${mark}:`;
    if (values === undefined) return `${start} ${this.#type(schema.type)};\n`;
    if (!this.#written.has(owner)) return this.#openField(start, schema.type, values);
    const one = values.map((value) => `'${value}'`).join(' | ');
    const list = schema.type.startsWith('[]');
    const line = list ? `${start} readonly (${one})[];` : `${start} ${one};`;
    if (line.length <= LINE_WIDTH) return `${line}\n`;
    const cases = values.map((value) => `    | '${value}'`).join('\n');
    return list ? `${start} readonly (\n${cases}\n  )[];\n` : `${start}\n${cases};\n`;
  }

  #openField(start: string, type: string, values: readonly string[]): string {
    const list = type.startsWith('[]');
    const [before, after] = list ? ['readonly ', '[]'] : ['', ''];
    this.#use('./forms.ts', 'OpenEnum');
    const literals = values.map((value) => `'${value}'`);
    const line = `${start} ${before}OpenEnum<${literals.join(' | ')}>${after};`;
    if (line.length <= LINE_WIDTH) return `${line}\n`;
    const inner = literals.join(' | ');
    return inner.length + 4 <= LINE_WIDTH
      ? `${start} ${before}OpenEnum<\n    ${inner}\n  >${after};\n`
      : `${start} ${before}OpenEnum<\n${literals.map((one) => `    | ${one}`).join('\n')}\n  >${after};\n`;
  }

  #type(written: string): string {
    if (written.startsWith('[]')) {
      const item = this.#type(written.slice(2));
      return `readonly ${item.includes(' ') ? `(${item})` : item}[]`;
    }
    if (written.startsWith('map:'))
      return `Readonly<Record<string, ${this.#type(written.slice(4))}>>`;
    const plain = Names.plain(written);
    if (plain !== undefined) {
      for (const [from, name] of plain.imports) this.#use(from, name);
      return plain.text;
    }
    const name = written.slice(1);
    const own = Names.own(name);
    if (own !== undefined) {
      for (const [from, used] of own.imports) this.#use(from, used);
      return own.text;
    }
    this.#use(`./${Names.file(name)}`, Names.short(name));
    if (!this.#kinds.has(name)) return Names.short(name);
    this.#use('./forms.ts', 'Embedded');
    return `Embedded<${Names.short(name)}>`;
  }

  #use(from: string, name: string): void {
    if (from === `./${this.#file}`) return;
    for (const [other, names] of this.#imports) {
      if (other !== from && names.has(name)) throw new Error(`${this.#file}: two types ${name}`);
    }
    this.#imports.set(from, (this.#imports.get(from) ?? new Set()).add(name));
  }
}

/** Parents first, as the formatter sorts them. */
function importOrder(from: string): number {
  return from.startsWith('../') ? 0 : 1;
}

function importLine(from: string, names: readonly string[]): string {
  const line = `import type { ${names.join(', ')} } from '${from}';\n`;
  if (line.length <= LINE_WIDTH + 1) return line;
  return `import type {\n${names.map((name) => `  ${name},\n`).join('')}} from '${from}';\n`;
}
