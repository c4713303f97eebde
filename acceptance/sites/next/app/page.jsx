'use client';

import Link from 'next/link';
import { useState } from 'react';
import tide from '../common/tide.svg';

export default function First() {
  const [count, setCount] = useState(0);
  return (
    <>
      <h1>Tides</h1>
      <button type="button" id="count" onClick={() => setCount(count + 1)}>
        {count}
      </button>
      <img src={tide.src} alt="Tide" />
      <Link href="/second">Second</Link>
    </>
  );
}
