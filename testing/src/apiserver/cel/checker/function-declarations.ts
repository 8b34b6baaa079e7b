import { parseType, parseTypes, type Type } from './type.ts';

/** One overload of a function: its argument types and its result type. */
export interface Overload {
  /** True for `a.f()`: the first argument is the object of the call. */
  readonly isMember: boolean;
  readonly args: readonly Type[];
  readonly result: Type;
  /** The names of the overload's type parameters. */
  readonly parameters: ReadonlySet<string>;
}

/** Types whose values have an order. A `?` in a declaration stands for each of them. */
const ORDERED = [
  'int',
  'uint',
  'double',
  'bool',
  'google.protobuf.Duration',
  'google.protobuf.Timestamp',
  'string',
  'bytes',
];

/** Operators under the names that cel-go gives them (common/stdlib/standard.go). */
const OPERATORS = `
!_ (bool): bool
-_ (double): double
-_ (int): int
@in (<A>, list(<A>)): bool
@in (<A>, map(<A>, <B>)): bool
@sortByAssociatedKeys list(<T>).(list(?)): list(<T>)
_!=_ (<A>, <A>): bool
_%_ (int, int): int
_%_ (uint, uint): uint
_&&_ (bool, bool): bool
_*_ (double, double): double
_*_ (int, int): int
_*_ (uint, uint): uint
_+_ (bytes, bytes): bytes
_+_ (double, double): double
_+_ (google.protobuf.Duration, google.protobuf.Duration): google.protobuf.Duration
_+_ (google.protobuf.Duration, google.protobuf.Timestamp): google.protobuf.Timestamp
_+_ (google.protobuf.Timestamp, google.protobuf.Duration): google.protobuf.Timestamp
_+_ (int, int): int
_+_ (list(<A>), list(<A>)): list(<A>)
_+_ (string, string): string
_+_ (uint, uint): uint
_-_ (double, double): double
_-_ (google.protobuf.Duration, google.protobuf.Duration): google.protobuf.Duration
_-_ (int, int): int
_-_ (google.protobuf.Timestamp, google.protobuf.Duration): google.protobuf.Timestamp
_-_ (google.protobuf.Timestamp, google.protobuf.Timestamp): google.protobuf.Duration
_-_ (uint, uint): uint
_/_ (double, double): double
_/_ (int, int): int
_/_ (uint, uint): uint
_<=_ (?, ?): bool
_<=_ (int, double): bool
_<=_ (int, uint): bool
_<=_ (uint, double): bool
_<=_ (uint, int): bool
_<=_ (double, int): bool
_<=_ (double, uint): bool
_<_ (?, ?): bool
_<_ (int, double): bool
_<_ (int, uint): bool
_<_ (uint, double): bool
_<_ (uint, int): bool
_<_ (double, int): bool
_<_ (double, uint): bool
_==_ (<A>, <A>): bool
_>=_ (?, ?): bool
_>=_ (int, double): bool
_>=_ (int, uint): bool
_>=_ (uint, double): bool
_>=_ (uint, int): bool
_>=_ (double, int): bool
_>=_ (double, uint): bool
_>_ (?, ?): bool
_>_ (int, double): bool
_>_ (int, uint): bool
_>_ (uint, double): bool
_>_ (uint, int): bool
_>_ (double, int): bool
_>_ (double, uint): bool
_?_:_ (bool, <A>, <A>): <A>
_[?_] (list(<V>), int): optional_type(<V>)
_[?_] (optional_type(list(<V>)), int): optional_type(<V>)
_[?_] (map(<K>, <V>), <K>): optional_type(<V>)
_[?_] (optional_type(map(<K>, <V>)), <K>): optional_type(<V>)
_[_] (list(<A>), int): <A>
_[_] (map(<A>, <B>), <A>): <B>
_[_] (optional_type(list(<V>)), int): optional_type(<V>)
_[_] (optional_type(map(<K>, <V>)), <K>): optional_type(<V>)
_||_ (bool, bool): bool
`;

/**
 * The functions of the environment of Kubernetes 1.36 (k8s.io/apiserver,
 * pkg/cel/environment/base.go): the standard library, cel-go's extensions for strings, sets, lists
 * and optional values, and the libraries of pkg/cel/library. For a method, the type before the dot
 * is the type of its object.
 */
const FUNCTIONS = `
add kubernetes.Quantity.(kubernetes.Quantity): kubernetes.Quantity
add kubernetes.Quantity.(int): kubernetes.Quantity
allowed kubernetes.authorization.Decision.(): bool
asApproximateFloat kubernetes.Quantity.(): double
asInteger kubernetes.Quantity.(): int
bool (bool): bool
bool (string): bool
bytes (bytes): bytes
bytes (string): bytes
cel.@mapInsert (map(<K>, <V>), <K>, <V>): map(<K>, <V>)
cel.@mapInsert (map(<K>, <V>), map(<K>, <V>)): map(<K>, <V>)
charAt string.(int): string
check kubernetes.authorization.PathCheck.(string): kubernetes.authorization.Decision
check kubernetes.authorization.ResourceCheck.(string): kubernetes.authorization.Decision
cidr (string): net.CIDR
compareTo kubernetes.Quantity.(kubernetes.Quantity): int
compareTo kubernetes.Semver.(kubernetes.Semver): int
contains string.(string): bool
containsCIDR net.CIDR.(string): bool
containsCIDR net.CIDR.(net.CIDR): bool
containsIP net.CIDR.(string): bool
containsIP net.CIDR.(net.IP): bool
distinct list(<T>).(): list(<T>)
double (double): double
double (int): double
double (string): double
double (uint): double
duration (google.protobuf.Duration): google.protobuf.Duration
duration (int): google.protobuf.Duration
duration (string): google.protobuf.Duration
dyn (<A>): dyn
endsWith string.(string): bool
error kubernetes.authorization.Decision.(): string
errored kubernetes.authorization.Decision.(): bool
family net.IP.(): int
fieldSelector kubernetes.authorization.ResourceCheck.(string): kubernetes.authorization.ResourceCheck
find string.(string): string
findAll string.(string): list(string)
findAll string.(string, int): list(string)
first list(<V>).(): optional_type(<V>)
flatten list(list(<T>)).(): list(<T>)
flatten list(dyn).(int): list(dyn)
format string.(list(dyn)): string
format.byte (): kubernetes.NamedFormat
format.date (): kubernetes.NamedFormat
format.datetime (): kubernetes.NamedFormat
format.dns1035Label (): kubernetes.NamedFormat
format.dns1035LabelPrefix (): kubernetes.NamedFormat
format.dns1123Label (): kubernetes.NamedFormat
format.dns1123LabelPrefix (): kubernetes.NamedFormat
format.dns1123Subdomain (): kubernetes.NamedFormat
format.dns1123SubdomainPrefix (): kubernetes.NamedFormat
format.labelValue (): kubernetes.NamedFormat
format.named (string): optional_type(kubernetes.NamedFormat)
format.qualifiedName (): kubernetes.NamedFormat
format.uri (): kubernetes.NamedFormat
format.uuid (): kubernetes.NamedFormat
getDate google.protobuf.Timestamp.(): int
getDate google.protobuf.Timestamp.(string): int
getDayOfMonth google.protobuf.Timestamp.(): int
getDayOfMonth google.protobuf.Timestamp.(string): int
getDayOfWeek google.protobuf.Timestamp.(): int
getDayOfWeek google.protobuf.Timestamp.(string): int
getDayOfYear google.protobuf.Timestamp.(): int
getDayOfYear google.protobuf.Timestamp.(string): int
getEscapedPath kubernetes.URL.(): string
getFullYear google.protobuf.Timestamp.(): int
getFullYear google.protobuf.Timestamp.(string): int
getHost kubernetes.URL.(): string
getHostname kubernetes.URL.(): string
getHours google.protobuf.Timestamp.(): int
getHours google.protobuf.Timestamp.(string): int
getHours google.protobuf.Duration.(): int
getMilliseconds google.protobuf.Timestamp.(): int
getMilliseconds google.protobuf.Timestamp.(string): int
getMilliseconds google.protobuf.Duration.(): int
getMinutes google.protobuf.Timestamp.(): int
getMinutes google.protobuf.Timestamp.(string): int
getMinutes google.protobuf.Duration.(): int
getMonth google.protobuf.Timestamp.(): int
getMonth google.protobuf.Timestamp.(string): int
getPort kubernetes.URL.(): string
getQuery kubernetes.URL.(): map(string, list(string))
getScheme kubernetes.URL.(): string
getSeconds google.protobuf.Timestamp.(): int
getSeconds google.protobuf.Timestamp.(string): int
getSeconds google.protobuf.Duration.(): int
group kubernetes.authorization.Authorizer.(string): kubernetes.authorization.GroupCheck
hasValue optional_type(<V>).(): bool
indexOf list(<A>).(<A>): int
indexOf string.(string): int
indexOf string.(string, int): int
int (int): int
int (double): int
int (google.protobuf.Duration): int
int (string): int
int (google.protobuf.Timestamp): int
int (uint): int
ip (string): net.IP
ip net.CIDR.(): net.IP
ip.isCanonical (string): bool
isCIDR (string): bool
isGlobalUnicast net.IP.(): bool
isGreaterThan kubernetes.Quantity.(kubernetes.Quantity): bool
isGreaterThan kubernetes.Semver.(kubernetes.Semver): bool
isIP (string): bool
isInteger kubernetes.Quantity.(): bool
isLessThan kubernetes.Quantity.(kubernetes.Quantity): bool
isLessThan kubernetes.Semver.(kubernetes.Semver): bool
isLinkLocalMulticast net.IP.(): bool
isLinkLocalUnicast net.IP.(): bool
isLoopback net.IP.(): bool
isQuantity (string): bool
isSemver (string): bool
isSemver (string, bool): bool
isSorted list(?).(): bool
isURL (string): bool
isUnspecified net.IP.(): bool
join list(string).(): string
join list(string).(string): string
labelSelector kubernetes.authorization.ResourceCheck.(string): kubernetes.authorization.ResourceCheck
last list(<V>).(): optional_type(<V>)
lastIndexOf list(<A>).(<A>): int
lastIndexOf string.(string): int
lastIndexOf string.(string, int): int
lists.range (int): list(int)
lowerAscii string.(): string
major kubernetes.Semver.(): int
masked net.CIDR.(): net.CIDR
matches (string, string): bool
matches string.(string): bool
max list(?).(): ?
min list(?).(): ?
minor kubernetes.Semver.(): int
name kubernetes.authorization.ResourceCheck.(string): kubernetes.authorization.ResourceCheck
namespace kubernetes.authorization.ResourceCheck.(string): kubernetes.authorization.ResourceCheck
optional.none (): optional_type(<V>)
optional.of (<V>): optional_type(<V>)
optional.ofNonZeroValue (<V>): optional_type(<V>)
optional.unwrap (list(optional_type(<V>))): list(<V>)
or optional_type(<V>).(optional_type(<V>)): optional_type(<V>)
orValue optional_type(<V>).(<V>): <V>
patch kubernetes.Semver.(): int
path kubernetes.authorization.Authorizer.(string): kubernetes.authorization.PathCheck
prefixLength net.CIDR.(): int
quantity (string): kubernetes.Quantity
reason kubernetes.authorization.Decision.(): string
replace string.(string, string): string
replace string.(string, string, int): string
resource kubernetes.authorization.GroupCheck.(string): kubernetes.authorization.ResourceCheck
reverse list(<T>).(): list(<T>)
semver (string): kubernetes.Semver
semver (string, bool): kubernetes.Semver
serviceAccount kubernetes.authorization.Authorizer.(string, string): kubernetes.authorization.Authorizer
sets.contains (list(<T>), list(<T>)): bool
sets.equivalent (list(<T>), list(<T>)): bool
sets.intersects (list(<T>), list(<T>)): bool
sign (kubernetes.Quantity): int
size (bytes): int
size bytes.(): int
size (list(<A>)): int
size list(<A>).(): int
size (map(<A>, <B>)): int
size map(<A>, <B>).(): int
size (string): int
size string.(): int
slice list(<T>).(int, int): list(<T>)
sort list(?).(): list(?)
split string.(string): list(string)
split string.(string, int): list(string)
startsWith string.(string): bool
string (?): string
string (net.IP): string
string (net.CIDR): string
strings.quote (string): string
sub kubernetes.Quantity.(kubernetes.Quantity): kubernetes.Quantity
sub kubernetes.Quantity.(int): kubernetes.Quantity
subresource kubernetes.authorization.ResourceCheck.(string): kubernetes.authorization.ResourceCheck
substring string.(int): string
substring string.(int, int): string
sum list(int).(): int
sum list(uint).(): uint
sum list(double).(): double
sum list(google.protobuf.Duration).(): google.protobuf.Duration
timestamp (google.protobuf.Timestamp): google.protobuf.Timestamp
timestamp (int): google.protobuf.Timestamp
timestamp (string): google.protobuf.Timestamp
trim string.(): string
type (<A>): type(<A>)
uint (uint): uint
uint (double): uint
uint (int): uint
uint (string): uint
unwrapOpt list(optional_type(<V>)).(): list(<V>)
upperAscii string.(): string
url (string): kubernetes.URL
validate kubernetes.NamedFormat.(string): optional_type(list(string))
value optional_type(<V>).(): <V>
`;

let declared: ReadonlyMap<string, readonly Overload[]> | undefined;

/** Every function, keyed by its full name, such as `size`, `sets.contains` or `_+_`. */
export function declaredFunctions(): ReadonlyMap<string, readonly Overload[]> {
  declared ??= readDeclarations(`${OPERATORS}${FUNCTIONS}`);
  return declared;
}

function readDeclarations(text: string): ReadonlyMap<string, readonly Overload[]> {
  const functions = new Map<string, Overload[]>();
  for (const line of text.split('\n')) {
    const types = line.includes('?', line.indexOf(' ')) ? ORDERED : [''];
    for (const type of types) {
      const [name, rest = ''] = /^(\S+) (.*)$/.exec(line)?.slice(1) ?? [];
      if (name === undefined) continue;
      const overloads = functions.get(name) ?? [];
      overloads.push(overloadOf(rest.replaceAll('?', type)));
      functions.set(name, overloads);
    }
  }
  return functions;
}

/** Parses a declaration: `string.(int): string` declares a method of strings, `(string): int` a function. */
function overloadOf(text: string): Overload {
  const [, receiver, args = '', result = ''] = /^(?:(.+?)\.)?\((.*)\): (.+)$/.exec(text) ?? [];
  return {
    isMember: receiver !== undefined,
    args: [...(receiver === undefined ? [] : [parseType(receiver)]), ...parseTypes(args)],
    result: parseType(result),
    parameters: new Set(Array.from(text.matchAll(/<(\w+)>/g), ([, name = '']) => name)),
  };
}
