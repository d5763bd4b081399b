package frontier

// What is finished and found over fewer link hops hands that on where links of its own, or of pages
// behind it, were left out that are near a seed (ADR 38).
