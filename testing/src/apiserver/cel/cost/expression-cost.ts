import type { ExpressionNode } from '../expression/expression-tree.ts';
import { originalName } from '../expression/own-names.ts';
import { type Argument, callCost, comparesAll } from './call-cost.ts';
import type { DeclaredSize } from './declared-size.ts';
import { NEW_LIST, NEW_MAP, OWN_LOOPS, partsOf, QUANTIFIERS, TRANSFORMS } from './loop-cost.ts';
import { isScalar, kindOfType, literalSize } from './node-kind.ts';
import { exactly, product, type SizeRange, UNKNOWN_SIZE, union } from './size-range.ts';

/** The sizes of the keys and values of a list or map that an expression makes. */
interface Entries {
  readonly kind: 'list' | 'map';
  readonly key: SizeRange;
  readonly value: SizeRange;
}

/** A variable of a loop, or of `cel.bind`. */
interface Local {
  readonly path: readonly string[];
  readonly size: SizeRange | undefined;
  readonly entries: Entries | undefined;
}

type Scope = ReadonlyMap<string, Local>;

/**
 * Names that the library treats as objects with methods. In Kubernetes, the methods are functions with a dot
 * in their names.
 */
const NAMESPACES: ReadonlySet<string> = new Set([
  'cel',
  'format',
  'ip',
  'jsonpatch',
  'lists',
  'optional',
  'sets',
  'strings',
]);

/**
 * The maximum cost of a checked expression, by the server's estimate. This is a port of
 * github.com/google/cel-go, checker/cost.go. It works on the syntax trees of the CEL library.
 */
export function maxCostOf(root: ExpressionNode, declared: DeclaredSize): number {
  return new CostEstimate(declared).of(root, new Map());
}

class CostEstimate {
  readonly #root: DeclaredSize;
  readonly #paths = new Map<ExpressionNode, readonly string[]>();
  readonly #sizes = new Map<ExpressionNode, SizeRange>();
  readonly #entries = new Map<ExpressionNode, Entries>();

  constructor(root: DeclaredSize) {
    this.#root = root;
  }

  of(node: ExpressionNode, scope: Scope): number {
    const args = node.args as readonly ExpressionNode[];
    switch (node.op) {
      case 'value':
        return 0;
      case 'id':
        this.#paths.set(node, scope.get(String(node.args))?.path ?? [String(node.args)]);
        return 1;
      case '.':
        return this.#select(node, scope);
      case 'list':
        return this.#list(node, args, scope);
      case 'map':
        return this.#map(node, node.args as readonly Pair[], scope);
      case '?:':
        return this.#conditional(node, args, scope);
      case '&&':
      case '||':
        return this.#sum(args, scope);
      case '-_':
        if ((node.args as ExpressionNode).op === 'value') return 0; // a literal
        return 1 + this.of(node.args as ExpressionNode, scope);
      case '!_':
        return 1 + this.of(node.args as ExpressionNode, scope);
      case '.?':
        return 1 + this.of(args[0] as ExpressionNode, scope);
      case 'call':
        return this.#function(node, scope);
      case 'rcall':
        return this.#method(node, scope);
      default:
        return this.#call(node, node.op, undefined, args, scope);
    }
  }

  #sum(nodes: readonly ExpressionNode[], scope: Scope): number {
    return nodes.reduce((sum, node) => sum + this.of(node, scope), 0);
  }

  #select(node: ExpressionNode, scope: Scope): number {
    const [operand, field] = node.args as readonly [ExpressionNode, string];
    const cost = this.of(operand, scope);
    const kind = this.#kindOf(operand, scope);
    this.#paths.set(node, [...this.#pathOf(operand, scope), field]);
    return cost + (kind === 'map' || kind === 'object' ? 1 : 0);
  }

  #list(node: ExpressionNode, items: readonly ExpressionNode[], scope: Scope): number {
    const cost = this.#sum(items, scope);
    const value = this.#unionOf(items, scope);
    this.#entries.set(node, { kind: 'list', key: exactly(1), value });
    return cost + NEW_LIST;
  }

  #map(node: ExpressionNode, entries: readonly Pair[], scope: Scope): number {
    const keys = entries.map(([key]) => key);
    const values = entries.map(([, value]) => value);
    const cost = this.#sum([...keys, ...values], scope);
    const key = this.#unionOf(keys, scope);
    this.#entries.set(node, { kind: 'map', key, value: this.#unionOf(values, scope) });
    return cost + NEW_MAP;
  }

  #unionOf(nodes: readonly ExpressionNode[], scope: Scope): SizeRange {
    const [first, ...others] = nodes.map((node) => this.#sizeOrUnknown(node, scope));
    return others.reduce(union, first ?? exactly(0));
  }

  #conditional(
    node: ExpressionNode,
    [condition, left, right]: readonly ExpressionNode[],
    scope: Scope,
  ): number {
    if (condition === undefined || left === undefined || right === undefined) return 0;
    const costs = [condition, left, right].map((one) => this.of(one, scope));
    const [first = 0, ifTrue = 0, ifFalse = 0] = costs;
    this.#sizes.set(node, this.#unionOf([left, right], scope));
    this.#joinEntries(node, left, right, scope);
    return first + Math.max(ifTrue, ifFalse);
  }

  #joinEntries(
    node: ExpressionNode,
    left: ExpressionNode,
    right: ExpressionNode,
    scope: Scope,
  ): void {
    const [one, other] = [this.#entriesOf(left, scope), this.#entriesOf(right, scope)];
    if (one === undefined || other === undefined) return;
    const value = union(one.value, other.value);
    this.#entries.set(node, { kind: one.kind, key: union(one.key, other.key), value });
  }

  #function(node: ExpressionNode, scope: Scope): number {
    const [called, args] = node.args as readonly [string, readonly ExpressionNode[]];
    const name = originalName(called);
    const [first] = args;
    if (name === 'has' && first !== undefined) {
      // `has(a.b)` costs as much as evaluating `a`.
      const [operand] = first.args as readonly ExpressionNode[];
      return operand === undefined ? 0 : this.of(operand, scope);
    }
    if (name === 'dyn' && first !== undefined) {
      const cost = 1 + this.of(first, scope);
      this.#copySizes(node, first, scope);
      return cost;
    }
    return this.#call(node, name, undefined, args, scope);
  }

  #method(node: ExpressionNode, scope: Scope): number {
    const [called, target, args] = node.args as Method;
    const name = originalName(called);
    if (node.meta.alternate?.op === 'comprehension') return this.#loop(node, scope);
    if (node.meta.macro !== undefined && OWN_LOOPS.has(name)) return this.#ownLoop(node, scope);
    if (name === 'optMap' || name === 'optFlatMap') return this.#mapOptional(node, scope);
    if (target.op !== 'id' || !NAMESPACES.has(String(target.args)))
      return this.#call(node, name, target, args, scope);
    if (target.args === 'cel' && name === 'bind') return this.#bind(node, args, scope);
    return this.#call(node, `${target.args}.${name}`, undefined, args, scope);
  }

  /**
   * The cost of a macro that loops over the items of a list or the keys of a map, as the server expands the
   * macro.
   */
  #loop(node: ExpressionNode, scope: Scope): number {
    const [name, range, args] = node.args as Method;
    const [variable, ...bodies] = args;
    const cost = this.of(range, scope);
    const inner = new Map(scope).set(String(variable?.args), this.#itemOf(range, scope));
    const bodyCosts = bodies.map((body) => this.of(body, inner));
    const [first = 0, second = 0] = bodyCosts;
    const count = this.#sizeOrUnknown(range, scope);
    const quantifier = QUANTIFIERS[name];
    if (quantifier !== undefined) {
      this.#sizes.set(node, exactly(1));
      return cost + quantifier.result + product(count.max, quantifier.step + first);
    }
    const isFilter = name === 'filter';
    const made = isFilter ? variable : bodies.at(-1);
    const value = { min: 0, max: made ? this.#sizeOrUnknown(made, inner).max : 0 };
    this.#sizes.set(node, count);
    this.#entries.set(node, { kind: 'list', key: exactly(1), value });
    // Each result is appended as a list of one item: `result + [item]`.
    const append = 2 + NEW_LIST;
    const condition = isFilter || bodies.length > 1 ? first : 0;
    const item = isFilter ? 1 : bodyCosts.length > 1 ? second : first;
    return cost + NEW_LIST + 1 + product(count.max, condition + append + item);
  }

  /**
   * The cost of a macro with two variables, of `existsOne`, or of `sortBy`, as cel-go expands the macro
   * (ext/comprehensions.go, ext/lists.go).
   */
  #ownLoop(node: ExpressionNode, scope: Scope): number {
    const [name, range, args] = node.args as Method;
    const { variables, bodies } = partsOf(name, args);
    const cost = this.of(range, scope);
    const inner = new Map(scope);
    const [first, second] = variables;
    if (second === undefined) inner.set(String(first?.args), this.#itemOf(range, scope));
    else {
      inner.set(String(first?.args), this.#keyOf(range, scope));
      inner.set(String(second.args), this.#valueOf(range, scope));
    }
    const bodyCosts = bodies.map((body) => this.of(body, inner));
    const most = this.#sizeOrUnknown(range, scope);
    const quantifier = QUANTIFIERS[name];
    if (quantifier !== undefined) {
      this.#sizes.set(node, exactly(1));
      return cost + quantifier.result + product(most.max, quantifier.step + (bodyCosts[0] ?? 0));
    }
    const { start, step } = TRANSFORMS[name] ?? { start: 0, step: 0 };
    const loop = start + 1 + product(most.max, step + bodyCosts.reduce((sum, one) => sum + one, 0));
    const body = bodies.at(-1);
    this.#sizes.set(node, most);
    if (name === 'sortBy') return cost + loop + this.#sorting(body, most, inner);
    const value = { min: 0, max: body ? this.#sizeOrUnknown(body, inner).max : 0 };
    const kind = name === 'transformList' ? 'list' : 'map';
    this.#entries.set(node, { kind, key: exactly(1), value });
    return cost + loop;
  }

  /**
   * The cost of the list of keys that `sortBy` makes. The list is bound to a variable. This costs as much as
   * `cel.bind`.
   */
  #sorting(body: ExpressionNode | undefined, size: SizeRange, scope: Scope): number {
    const kind = body === undefined ? 'dyn' : this.#kindOf(body, scope);
    return NEW_LIST + 2 + comparesAll({ size, items: { kind, size: UNKNOWN_SIZE } }).cost;
  }

  #keyOf(range: ExpressionNode, scope: Scope): Local {
    const entries = this.#entriesOf(range, scope);
    const isList = (entries?.kind ?? this.#kindOf(range, scope)) === 'list';
    if (isList) return { path: [], size: exactly(1), entries: undefined };
    return {
      path: [...this.#pathOf(range, scope), '@keys'],
      size: entries?.key,
      entries: undefined,
    };
  }

  #valueOf(range: ExpressionNode, scope: Scope): Local {
    const entries = this.#entriesOf(range, scope);
    const isList = (entries?.kind ?? this.#kindOf(range, scope)) === 'list';
    const step = isList ? '@items' : '@values';
    return {
      path: [...this.#pathOf(range, scope), step],
      size: entries?.value,
      entries: undefined,
    };
  }

  #itemOf(range: ExpressionNode, scope: Scope): Local {
    const entries = this.#entriesOf(range, scope);
    const isList = (entries?.kind ?? this.#kindOf(range, scope)) === 'list';
    return {
      path: [...this.#pathOf(range, scope), isList ? '@items' : '@keys'],
      size: isList ? entries?.value : entries?.key,
      entries: undefined,
    };
  }

  #bind(node: ExpressionNode, args: readonly ExpressionNode[], scope: Scope): number {
    const [variable, value, body] = args;
    if (variable === undefined || value === undefined || body === undefined) return 0;
    const cost = NEW_LIST + this.of(value, scope);
    const local: Local = {
      path: this.#pathOf(value, scope),
      size: this.#sizeOf(value, scope),
      entries: this.#entriesOf(value, scope),
    };
    const inner = new Map(scope).set(String(variable.args), local);
    const bodyCost = this.of(body, inner);
    this.#copySizes(node, body, inner);
    return cost + bodyCost;
  }

  /** The cost of `a.hasValue() ? optional.of(cel.bind(x, a.value(), body)) : optional.none()`. */
  #mapOptional(node: ExpressionNode, scope: Scope): number {
    const [name, target, [variable, body]] = node.args as Method;
    if (variable === undefined || body === undefined) return 0;
    const once = this.of(target, scope) + 1;
    const local: Local = { path: [], size: undefined, entries: undefined };
    const inner = new Map(scope).set(String(variable.args), local);
    const bound = NEW_LIST + once + this.of(body, inner);
    return once + bound + (name === 'optMap' ? 1 : 0);
  }

  #call(
    node: ExpressionNode,
    name: string,
    target: ExpressionNode | undefined,
    args: readonly ExpressionNode[],
    scope: Scope,
  ): number {
    const inputs = this.#sum(args, scope) + (target === undefined ? 0 : this.of(target, scope));
    const seen = args.map((arg) => this.#argument(arg, scope));
    const estimate = callCost(name, target && this.#argument(target, scope), seen);
    let size = estimate.size;
    const [first, second] = args;
    if (name === '[]' && first !== undefined) {
      const isList = this.#kindOf(first, scope) === 'list';
      this.#paths.set(node, [...this.#pathOf(first, scope), isList ? '@items' : '@values']);
      size = this.#entriesOf(first, scope)?.value;
    }
    if (name === '+' && first !== undefined && second !== undefined)
      this.#joinEntries(node, first, second, scope);
    const known = size ?? this.#sizeOf(node, scope);
    if (known !== undefined) this.#sizes.set(node, known);
    return inputs + estimate.cost;
  }

  #argument(node: ExpressionNode, scope: Scope): Argument {
    const kind = this.#kindOf(node, scope);
    const literal = node.op === 'value' ? node.args : undefined;
    const size = this.#sizeOrUnknown(node, scope);
    if (kind !== 'list') return { kind, size, literal, items: undefined };
    const path = this.#pathOf(node, scope);
    const declared = path.length === 0 ? undefined : this.#declaredAt([...path, '@items']);
    const items = {
      kind: declared?.kind ?? kindOfType(node.checkedType?.valueType),
      size: declared === undefined ? UNKNOWN_SIZE : { min: 0, max: declared.most },
    };
    return { kind, size, literal, items };
  }

  #copySizes(to: ExpressionNode, from: ExpressionNode, scope: Scope): void {
    const size = this.#sizeOf(from, scope);
    if (size !== undefined) this.#sizes.set(to, size);
    const entries = this.#entriesOf(from, scope);
    if (entries !== undefined) this.#entries.set(to, entries);
  }

  #pathOf(node: ExpressionNode, scope: Scope): readonly string[] {
    const local = node.op === 'id' ? scope.get(String(node.args)) : undefined;
    return local?.path ?? this.#paths.get(node) ?? [];
  }

  #entriesOf(node: ExpressionNode, scope: Scope): Entries | undefined {
    const known = this.#entries.get(node);
    if (known !== undefined || node.op !== 'id') return known;
    return scope.get(String(node.args))?.entries;
  }

  #sizeOrUnknown(node: ExpressionNode, scope: Scope): SizeRange {
    return this.#sizeOf(node, scope) ?? UNKNOWN_SIZE;
  }

  #sizeOf(node: ExpressionNode, scope: Scope): SizeRange | undefined {
    const known = this.#sizes.get(node) ?? literalSize(node);
    if (known !== undefined) return known;
    const path = this.#pathOf(node, scope);
    const declared = path.length === 0 ? undefined : this.#declaredAt(path);
    if (declared !== undefined) return { min: 0, max: declared.most };
    if (isScalar(node.checkedType)) return exactly(1);
    return node.op === 'id' ? scope.get(String(node.args))?.size : undefined;
  }

  /** The declared size at a path. The first step of the path is the variable itself. */
  #declaredAt(path: readonly string[]): DeclaredSize | undefined {
    let at: DeclaredSize | undefined = this.#root;
    for (const step of path.slice(1)) {
      if (step === '@items' || step === '@values') at = at?.items;
      else at = step === '@keys' ? at?.keys : at?.fields?.get(step);
    }
    return at;
  }

  #kindOf(node: ExpressionNode, scope: Scope): string {
    const path = this.#pathOf(node, scope);
    const isOfValue = path[0] === 'self' || path[0] === 'oldSelf';
    const declared = isOfValue ? this.#declaredAt(path) : undefined;
    const kind = kindOfType(node.checkedType);
    // If the old value may be absent, the variable is an optional, and not of the declared kind.
    return declared === undefined || kind === 'optional' ? kind : declared.kind;
  }
}

type Pair = readonly [ExpressionNode, ExpressionNode];
type Method = readonly [string, ExpressionNode, readonly ExpressionNode[]];
