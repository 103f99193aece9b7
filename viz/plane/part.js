// The component that brings a part: it shows nothing itself.

export default function ({ data }) {
  return bringPart(readFrame(data));
}
