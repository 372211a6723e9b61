// The source that the precompiled headers of tests belong to.
