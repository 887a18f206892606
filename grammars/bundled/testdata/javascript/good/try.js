try { attempt() } catch (e) { back() } finally { close() }
try {
}
catch (e)
{
}
finally
{
}
try {} finally {}