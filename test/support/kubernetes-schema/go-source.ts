/** Reads the struct types of a Go package: what their tags and marker comments say of each field. */

export interface GoField {
  /** Empty for an embedded struct. */
  readonly name: string;
  /** As written: `*int32`, `[]v1.Container`, `map[string]string`. */
  readonly type: string;
  readonly json: string;
  readonly protobuf: string;
  readonly patchStrategy: string;
  readonly patchMergeKey: string;
  readonly markers: readonly Marker[];
}

/** `+listType=map` as `['listType', 'map']`; the value is empty for `+optional`. */
export type Marker = readonly [name: string, value: string];

export interface GoType {
  readonly name: string;
  /** Undefined for `type X string`. */
  readonly fields: readonly GoField[] | undefined;
  /** What the type is made of, when it has no fields. */
  readonly underlying: string;
  readonly markers: readonly Marker[];
}

export interface GoFile {
  /** Import paths by the name that the file uses for them. */
  readonly imports: ReadonlyMap<string, string>;
  readonly types: readonly GoType[];
  /** String constants by their type. */
  readonly constants: ReadonlyMap<string, readonly string[]>;
}

const IMPORT = /^\s*(?:import\s+)?(?:([\w.]+)\s+)?"([\w./-]+)"\s*$/;
const STRUCT = /^type (\w+) struct ?\{(\})?$/;
const NAMED = /^type (\w+) (=? ?[\w.[\]*]+)$/;
const CONSTANT = /^\s*(?:const )?\w+\s+(\w+)\s+=\s+"([^"]*)"/;
const FIELD = /^\s*(?:(\w+)\s+)?([\w.[\]*]+)\s+`([^`]*)`/;
const MARKER = /^\s*\/\/ ?\+([\w:-]+)(?:=(.*))?$/;

export function parseGo(text: string): GoFile {
  const imports = new Map<string, string>();
  const types: GoType[] = [];
  const constants = new Map<string, string[]>();
  let markers: Marker[] = [];
  const lines = text.split('\n');
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] ?? '';
    const marker = MARKER.exec(line);
    if (marker !== null) {
      markers.push([marker[1] ?? '', marker[2] ?? '']);
      continue;
    }
    if (/^\s*\/\//.test(line)) continue;
    const imported = types.length === 0 ? IMPORT.exec(line) : null;
    if (imported !== null) {
      const path = imported[2] ?? '';
      imports.set(imported[1] ?? path.slice(path.lastIndexOf('/') + 1), path);
    }
    const constant = CONSTANT.exec(line);
    if (constant !== null) {
      const [, type = '', value = ''] = constant;
      constants.set(type, [...(constants.get(type) ?? []), value]);
    }
    const struct = STRUCT.exec(line);
    if (struct !== null) {
      const end = struct[2] === undefined ? lines.indexOf('}', at) : at;
      const fields = fieldsOf(lines.slice(at + 1, end));
      types.push({ name: struct[1] ?? '', fields, underlying: 'struct', markers });
      at = end;
    }
    const named = NAMED.exec(line);
    if (named !== null) {
      types.push({ name: named[1] ?? '', fields: undefined, underlying: named[2] ?? '', markers });
    }
    // A blank line parts the markers of a type from its comment, but not from the type.
    if (line.trim() !== '') markers = [];
  }
  return { imports, types, constants };
}

function fieldsOf(lines: readonly string[]): readonly GoField[] {
  const fields: GoField[] = [];
  let markers: Marker[] = [];
  for (const line of lines) {
    const marker = MARKER.exec(line);
    if (marker !== null) {
      markers.push([marker[1] ?? '', marker[2] ?? '']);
      continue;
    }
    if (/^\s*\/\//.test(line)) continue;
    const field = FIELD.exec(line);
    if (field !== null) {
      const [, name = '', type = '', tags = ''] = field;
      fields.push({
        name,
        type,
        json: tag(tags, 'json'),
        protobuf: tag(tags, 'protobuf'),
        patchStrategy: tag(tags, 'patchStrategy'),
        patchMergeKey: tag(tags, 'patchMergeKey'),
        markers,
      });
    }
    if (line.trim() !== '') markers = [];
  }
  return fields;
}

function tag(tags: string, name: string): string {
  return new RegExp(`(?:^|\\s)${name}:"([^"]*)"`).exec(tags)?.[1] ?? '';
}
