import type { T } from 't'
interface Shape<K extends { a: string }> { area(): number; f: (x: K) => void }
type U = { a: (x: number) => string } | null
enum Color { Red, Green = 1 }
namespace N.M { export const v = 2; export function w(): void { use(3) } }
export function over(a: string): void
export function over(a: number): { b: string } { return { b: `${a + 4}` } }
export const fn: (a: string) => Promise<void> = async (a) => { await g(5) }

@Component({ selector: 'c' })
export abstract class C<T extends { x: number }> extends D<T> implements Shape<T> {
	private readonly x: number = 6
	y?: Map<string, () => void>
	constructor(private z: string) { super(7) }
	abstract m(): void
	n<K>(a: K): Promise<{ a: K }> { return <any>{ a: 8 } }
	@Input() set w(v: string) { this.x = v.length as number + 9 }
}
