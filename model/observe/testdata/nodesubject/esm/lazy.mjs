export default function () {
  return (await2 => await2)(1)
}
